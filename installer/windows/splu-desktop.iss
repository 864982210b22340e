; The Windows installer: for the user who runs it, without administrator, or for all users of the machine. Built by
; build.ps1, which defines
;   Version, Numbers (three, as Windows wants them), Publisher, Homepage, Bundle (the folder that PyInstaller made), Out,
;   Icon, Machine (x64 or arm64), and SignTool where there is a command that signs.
; Unattended, asking nothing: setup.exe /VERYSILENT /SUPPRESSMSGBOXES /NORESTART /SP- /CURRENTUSER (or /ALLUSERS)
#ifndef Version
  #error Version is not defined: run installer\windows\build.ps1
#endif

[Setup]
; The identity that an upgrade finds the older version by. Never change it.
AppId={{6B0B8E0C-5B0E-4B5C-9E57-2C9B6E1C7A41}
AppName=SPLU Desktop
AppVersion={#Version}
AppVerName=SPLU Desktop {#Version}
AppPublisher={#Publisher}
AppPublisherURL={#Homepage}
AppSupportURL={#Homepage}
VersionInfoVersion={#Numbers}
; {localappdata}\Programs for one user, {commonpf} for all of them.
DefaultDirName={autopf}\SPLU Desktop
DefaultGroupName=SPLU Desktop
DisableDirPage=auto
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
; Who may administer is asked for whom; /CURRENTUSER and /ALLUSERS answer it.
PrivilegesRequiredOverridesAllowed=commandline dialog
#if Machine == "arm64"
ArchitecturesAllowed=arm64
ArchitecturesInstallIn64BitMode=arm64
#else
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
#endif
MinVersion=10.0.17763
LicenseFile={#SourcePath}\..\..\LICENSE
SetupIconFile={#Icon}
UninstallDisplayIcon={app}\splu-desktop.exe
UninstallDisplayName=SPLU Desktop
OutputDir={#Out}
OutputBaseFilename=splu-desktop-{#Version}-windows-{#Machine}-setup
Compression=lzma2/max
SolidCompression=yes
ChangesAssociations=yes
ChangesEnvironment=yes
CloseApplications=yes
RestartApplications=no
WizardStyle=modern
#ifdef SignTool
SignTool={#SignTool}
SignedUninstaller=yes
#endif

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"
Name: "fr"; MessagesFile: "compiler:Languages\French.isl"

[CustomMessages]
en.Release=SPLU Desktop release
de.Release=SPLU-Desktop-Freigabe
fr.Release=Publication SPLU Desktop
en.Commands=Make the command “splu” available in terminals
de.Commands=Den Befehl „splu“ im Terminal verfügbar machen
fr.Commands=Rendre la commande « splu » disponible dans les terminaux

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "path"; Description: "{cm:Commands}"; Flags: unchecked

[InstallDelete]
; An upgrade leaves no module of the older version behind.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Bundle}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{autoprograms}\SPLU Desktop"; Filename: "{app}\splu-desktop.exe"
Name: "{autodesktop}\SPLU Desktop"; Filename: "{app}\splu-desktop.exe"; Tasks: desktopicon

[Registry]
Root: HKA; Subkey: "Software\Classes\.splurelease"; ValueType: string; ValueData: "SPLUDesktop.Release"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\.splurelease"; ValueType: string; ValueName: "Content Type"; ValueData: "application/x-splu-release"
Root: HKA; Subkey: "Software\Classes\SPLUDesktop.Release"; ValueType: string; ValueData: "{cm:Release}"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\SPLUDesktop.Release\DefaultIcon"; ValueType: string; ValueData: "{app}\splu-desktop.exe,0"
Root: HKA; Subkey: "Software\Classes\SPLUDesktop.Release\shell\open\command"; ValueType: string; ValueData: """{app}\splu-desktop.exe"" ""%1"""
; A release is a folder, and its release.json can't have a type of its own here: tables and releases are opened by
; "Open with" or by dragging them onto the program.
Root: HKA; Subkey: "Software\Classes\Applications\splu-desktop.exe\shell\open\command"; ValueType: string; ValueData: """{app}\splu-desktop.exe"" ""%1"""; Flags: uninsdeletekey
Root: HKA; Subkey: "{code:EnvironmentKey}"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\splu-desktop.exe"; Description: "{cm:LaunchProgram,SPLU Desktop}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
; Only what was installed. Recipes, releases, settings and the register of releases are the user's own.
Type: filesandordirs; Name: "{app}\_internal"

[Code]
{ Where Windows keeps the environment: of the user, or of the machine where it is installed for all. }
function EnvironmentKey(Unused: string): string;
begin
  if IsAdminInstallMode then
    Result := 'System\CurrentControlSet\Control\Session Manager\Environment'
  else
    Result := 'Environment';
end;

function NeedsPath: Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKA, EnvironmentKey(''), 'Path', Path) then
    Path := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Path) + ';') = 0;
end;

procedure ForgetPath;
var
  Path, Part: string;
  At: Integer;
begin
  if not RegQueryStringValue(HKA, EnvironmentKey(''), 'Path', Path) then
    exit;
  Part := ';' + ExpandConstant('{app}');
  At := Pos(Uppercase(Part), Uppercase(Path));
  if At > 0 then
  begin
    Delete(Path, At, Length(Part));
    RegWriteExpandStringValue(HKA, EnvironmentKey(''), 'Path', Path);
  end;
end;

{ Settings and the register of releases stay, unless the uninstaller is told /FORGET=1: then those of this user go too. }
procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if Step <> usPostUninstall then
    exit;
  ForgetPath;
  if ExpandConstant('{param:FORGET|0}') = '1' then
  begin
    DelTree(ExpandConstant('{localappdata}\SPLU Desktop'), True, True, True);
    RegDeleteKeyIncludingSubkeys(HKEY_CURRENT_USER, 'Software\SPLU Desktop');
  end;
end;
