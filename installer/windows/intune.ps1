# Makes an Intune package (.intunewin) of the setup, and prints what Intune asks for. On a PC with Microsoft's
# IntuneWinAppUtil.exe (github.com/microsoft/Microsoft-Win32-Content-Prep-Tool):
#   powershell -ExecutionPolicy Bypass -File installer\windows\intune.ps1 -Setup SETUP.exe -Tool IntuneWinAppUtil.exe [-Out dist]
param([Parameter(Mandatory)][string]$Setup, [Parameter(Mandatory)][string]$Tool, [string]$Out = "dist")
$ErrorActionPreference = "Stop"
$Setup = (Resolve-Path $Setup).Path
$Source = Join-Path ([IO.Path]::GetTempPath()) "splu-intune"
Remove-Item -Recurse -Force $Source -ErrorAction SilentlyContinue
New-Item -ItemType Directory $Source | Out-Null
Copy-Item $Setup $Source
New-Item -ItemType Directory -Force $Out | Out-Null
$Name = [IO.Path]::GetFileName($Setup)
& $Tool -c $Source -s $Name -o $Out -q
if ($LASTEXITCODE -ne 0) { throw "IntuneWinAppUtil ended with $LASTEXITCODE" }
$Version = (Get-Item $Setup).VersionInfo.FileVersion
@"
Install behaviour:   System
Install command:     $Name /VERYSILENT /SUPPRESSMSGBOXES /NORESTART /SP- /ALLUSERS
Uninstall command:   "%ProgramFiles%\SPLU Desktop\unins000.exe" /VERYSILENT /SUPPRESSMSGBOXES /NORESTART
Detection rule:      file "%ProgramFiles%\SPLU Desktop\splu-desktop.exe", version, greater than or equal to $Version
Requirements:        64 bit, Windows 10 1809 or newer, 300 MB
Return codes:        0 done; 1 to 5 not installed, nothing was changed; no restart is ever needed
"@
