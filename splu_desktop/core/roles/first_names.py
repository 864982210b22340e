"""Common first names, to tell a column of persons' names by its values where its header says nothing.

Frequent given names of people alive today in English, German, French and Spanish speaking countries, and of their
larger immigrant communities; lower case, without accents. Words that are also common in medicine, places or trades
(Grace, Rose, Florence, August, Max) are left out. A list can't be whole: what it needs to do is know every second name.
"""

from __future__ import annotations

_NAMES = """
    aaron adam adrian aiden alan albert alex alexander alfie alfred alice alison amanda amelia amy andrea andrew
    angela ann anna anne annette anthony antony archie arthur ashley barbara barry ben benjamin bernard beth betty
    beverley brandon brenda brian bruce callum cameron carl carol caroline catherine charles charlie charlotte cheryl
    chloe chris christian christina christine christopher claire clare colin connor craig cynthia daniel danielle
    darren david dawn dean deborah debra dennis derek diana diane donald donna dorothy douglas dylan edward eileen
    elaine eleanor elizabeth ella ellen ellie emily emma eric erica ethan evelyn evie finley frances francis frank
    fred frederick freya gareth gary gavin gemma geoffrey george gerald gillian glen glenn gloria gordon graham greg
    gregory hannah harold harriet harry hayley heather helen henry holly howard hugh ian isaac isabella isla jack
    jacob jacqueline jake james jamie jane janet janice jason jean jeffrey jennifer jeremy jerry jesse jessica jill
    jim joan joanna joanne joe joel john jonathan jordan jose joseph joshua joyce juan judith judy julia julian julie
    justin karen karl kate katherine kathleen kathryn katie keith kelly kenneth kerry kevin kimberly kyle larry laura
    lauren lawrence leah lee leo leon leslie lewis liam lily linda lisa logan lorraine louis louise lucas lucy luke
    lynn lynne malcolm marc margaret maria marie marilyn marion mark martha martin mary mason matthew maureen megan
    melanie melissa mia michael michelle mike mohammad mohammed molly muhammad nancy natalie nathan neil nicholas
    nicola nicole noah norman oliver olivia oscar owen pamela patricia patrick paul paula pauline peter philip phoebe
    poppy rachel ralph raymond rebecca rhys richard riley rita robert robin roger ronald rosemary ross roy russell
    ruth ryan sally sam samantha samuel sandra sara sarah scott sean sebastian shannon sharon sheila shirley simon
    sophia sophie stacey stanley stephanie stephen steve steven stuart susan suzanne sylvia tara teresa terence terry
    thelma theo theodore theresa thomas timothy tina toby tom tony tracey tracy tyler valerie vanessa victoria vincent
    virginia walter wayne wendy william yvonne zachary zoe

    achim andreas angelika anja anke anneliese annika antje antonia armin astrid axel bastian beate bernd bernhard
    bettina birgit bjorn brigitte britta carina carsten charlotte christa christiane christoph claudia clemens
    cornelia dagmar detlef dieter dietmar dirk doris edith elfriede elisabeth elke emil erhard erich erika erna ernst
    erwin eva fabian felix finn florian franz franziska friedrich fritz gabi gabriele georg gerd gerda gerhard gertrud
    gisela gudrun gunter gunther guenter guenther hannelore hans hans-peter harald hartmut heidi heike heiko heinrich
    heinz helga helmut henrik herbert hermann hildegard holger horst hubert ilse inge ingeborg ingrid irene iris
    irmgard jan jana jannik jens joachim jochen johann johanna johannes jonas jorg joerg josef jurgen juergen jutta
    karin karl-heinz karla karsten katharina kathrin katja katrin kerstin kirsten klaus kurt lara lars lea lena leni
    leonie lieselotte lina lothar ludwig luisa lukas lutz maik maja mandy manfred manuela marcel marco marcus
    margarete margit margot marianne marina mario markus marlene martina mathias matthias maximilian meike mila monika
    moritz nadine nicolas nico niklas nils nina norbert olaf oskar otto pascal petra philipp rainer ralf regina
    reinhard renate reiner roland rolf rosemarie rudi rudolf rudiger ruediger sabine sabrina sandro sascha siegfried
    sigrid silke silvia simone sofia sonja stefan stefanie steffen stephan susanne sven svenja swen tanja theresia
    thorsten tim tobias torsten udo ulf uli ulrich ulrike ursula ute uta uwe vera verena veronika volker waltraud
    werner wilfried wilhelm willi winfried wolfgang yannick

    adele adeline agathe agnes aimee alain alexandra alexandre alexis alix alphonse amandine ambre anais andre
    angelique anne-marie annie antoine armand arnaud arthur audrey aurelie aurore axelle baptiste bastien beatrice
    benedicte benoit bernadette bertrand blandine brice brigitte bruno camille catherine cecile cedric celine chantal
    christelle christophe clemence clement clementine colette corinne cyril damien danielle delphine denis denise
    didier dominique edouard elise elodie emeline emilie emmanuel emmanuelle enzo estelle etienne eugenie fabien
    fabienne fabrice fanny faustine fernand francine franck francois francoise frederic frederique gabriel gabrielle
    genevieve georges gerard ghislaine gilbert gilles ginette guillaume guy helene henri henriette herve honore
    huguette hugo ines isabelle jacqueline jacques jean-claude jean-luc jean-marc jean-michel jean-paul jean-pierre
    jeanne jeannine jerome joelle josette josiane jules julien juliette laetitia laure laurence laurent leonie liliane
    lionel lise loic lola lou louane luc lucette lucie lucien lucienne lydie madeleine mael maelys manon marcel
    marcelle margaux marguerite marie-christine marie-claude marie-france marie-louise marie-therese marine marthe
    martine mathieu mathilde mathis maurice maxime melanie michel micheline mireille monique morgane muriel myriam
    nadege nadia nathalie nathan nicolas noemie noel odette odile olivier paulette philippe pierre pierrette quentin
    raphael raymonde regine regis remi remy renaud rene renee robin roger romain romane roxane sandrine sebastien
    serge severine simone solange sophie stephane suzanne sylvain sylvie therese theo thibault thierry thibaut tristan
    ugo valentin valerie veronique victor vincent viviane xavier yann yannick yves yvette

    adolfo adriana agustin aitor alba alberto alejandra alejandro alfonso alfredo alicia alonso alvaro amparo ana
    ana-maria andres angel angeles angelina antonio aranzazu araceli arturo asuncion aurora beatriz begona belen
    benito bernardo blanca borja carla carlos carmen carolina catalina cecilia cesar clara claudio concepcion consuelo
    cristian cristina daniela diego domingo eduardo elena elias elisa eloy emilia emilio encarnacion enrique esperanza
    esteban ester esther eugenia eugenio eulalia eusebio fatima federico felipe felisa fernanda fernando fidel
    francisca francisco gema gerardo german gloria gonzalo gregorio guadalupe guillermo gustavo hector hugo ignacio
    inmaculada irene isabel ismael ivan izan jaime javier jesus jimena joan joaquin jordi jorge josefa josefina josep
    juan-carlos juana juanjo julio laia leandro leonor leticia lidia lorena lorenzo lourdes lucia luciano luis luisa
    magdalena manuel manuela marcelino marcos margarita mariano maribel maricarmen mari martina mateo matias mercedes
    miguel miriam mohamed monica montserrat natividad nerea nicolas nuria olga oscar pablo paloma paola pascual pedro
    pepe pilar rafael ramiro ramon raquel raul ricardo roberto rocio rodrigo rodolfo rogelio roman rosa rosalia
    rosario ruben salvador samuel santiago sergio silvia sofia soledad sonia susana teodoro tomas trinidad valentina
    vicente victoria xavi ximena yolanda

    abdul abdullah adem ahmed ahmet aisha aleksandra ali alina amina amir ananya aneta anil anita arash arjun asha
    asma aylin ayse barbara bartosz bogdan carlo chiara danuta dariusz deepak dimitri dmitri elif elzbieta emine emre
    enrico esra ewa fatih fatma francesca francesco giovanni giulia giuseppe grzegorz hakan halina hasan hassan hatice
    huseyin ibrahim igor imran irina ismail jacek jadwiga jakub jerzy joao katarzyna khalid khadija krzysztof layla
    leila luca magdalena malgorzata marek mariam mariusz marta matteo mehmet merve minh murat mustafa nadezhda nasreen
    natalia nguyen nikolai oksana olena omar osman paolo pawel piotr pradeep priya rahul raj rajesh ravi sanjay sergei
    serkan sinan slawomir suleyman sunita svetlana tariq tatjana teresa tomasz usha valentina vijay wei wojciech
    yasmin yusuf zainab zeynep
"""
FIRST_NAMES = frozenset(_NAMES.split())
