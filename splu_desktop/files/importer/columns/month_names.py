"""The names of the months, whole and shortened, in the languages of hospitals' files."""

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jänner januari janvier enero ene janv gennaio gen janeiro stycznia styczeń sty "
            "ledna leden led ocak oca január tammikuuta tammikuu tammi января январь янв ianuarie",
            "feb february februar februari février fevrier febrero fév fev févr febbraio fevereiro lutego luty "
            "lut února únor úno şubat şub február helmikuuta helmikuu helmi февраля февраль фев februarie",
            "mar march märz maerz mär mrz mars marzo maart mrt marts março marca marzec března březen bře mart "
            "március márc már maaliskuuta maaliskuu maalis марта март мар martie",
            "apr april avril abril avr abr aprile kwietnia kwiecień kwi dubna duben dub nisan nis április ápr "
            "huhtikuuta huhtikuu huhti апреля апрель апр aprilie",
            "may mai mayo maggio mag maio mei maj maja května květen kvě mayıs május máj toukokuuta toukokuu "
            "touko мая май",
            "jun june juni juin junio giugno giu junho czerwca czerwiec cze června červen čvn haziran haz június "
            "jún kesäkuuta kesäkuu kesä июня июнь июн iunie",
            "jul july juli juillet julio juil luglio lug julho lipca lipiec lip července červenec čvc temmuz tem "
            "július júl heinäkuuta heinäkuu heinä июля июль июл iulie",
            "aug august août aout agosto ago augustus augusti sierpnia sierpień sie srpna srpen srp ağustos ağu "
            "augusztus elokuuta elokuu elo августа август авг",
            "sep sept september septembre septiembre setiembre settembre set setembro września wrzesień wrz září "
            "zář eylül eyl szeptember szept syyskuuta syyskuu syys сентября сентябрь сен сент septembrie",
            "oct october oktober okt octobre octubre ottobre ott outubro out października październik paź října "
            "říjen říj ekim eki október lokakuuta lokakuu loka октября октябрь окт octombrie",
            "nov november novembre noviembre novembro listopada listopad lis listopadu kasım kas marraskuuta "
            "marraskuu marras ноября ноябрь ноя noiembrie",
            "dec december dezember dez décembre decembre diciembre dic déc dicembre dezembro grudnia grudzień gru "
            "prosince prosinec pro aralık ara joulukuuta joulukuu joulu декабря декабрь дек decembrie",
        ),
        1,
    )
    for name in names.split()
}
