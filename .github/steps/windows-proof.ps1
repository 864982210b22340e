# Installs the setup in dist for this user and for the machine, unattended, tries the program, and removes it again.
$ErrorActionPreference = "Stop"
Set-Location (Resolve-Path "$PSScriptRoot\..\..").Path
$Setup = (Get-ChildItem dist\*-setup.exe).FullName
$Unattended = @("/VERYSILENT", "/SUPPRESSMSGBOXES", "/NORESTART", "/SP-")
$Register = Join-Path $env:LOCALAPPDATA "SPLU Desktop"
New-Item -ItemType Directory -Force $Register | Out-Null
Set-Content (Join-Path $Register "mine.txt") "mine"
$Places = @{ "/CURRENTUSER" = "$env:LOCALAPPDATA\Programs\SPLU Desktop"; "/ALLUSERS" = "$env:ProgramFiles\SPLU Desktop" }
foreach ($For in $Places.Keys) {
    $Folder = $Places[$For]
    $Run = Start-Process $Setup -ArgumentList ($Unattended + $For) -Wait -PassThru
    if ($Run.ExitCode -ne 0) { throw "the setup ended with $($Run.ExitCode)" }
    & "$Folder\splu.exe" --self-test
    if ($LASTEXITCODE -ne 0) { throw "splu --self-test failed in $Folder" }
    $Test = Start-Process "$Folder\splu-desktop.exe" -ArgumentList "--smoke-test" -Wait -PassThru
    if ($Test.ExitCode -ne 0) { throw "the smoke test failed in $Folder" }
    $Run = Start-Process "$Folder\unins000.exe" -ArgumentList $Unattended[0..2] -Wait -PassThru
    Start-Sleep 5
    if (Test-Path "$Folder\splu-desktop.exe") { throw "the program was not removed from $Folder" }
    if (-not (Test-Path (Join-Path $Register "mine.txt"))) { throw "the user's files were removed" }
}
