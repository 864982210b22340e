# Builds the Windows bundle and installer. On a PC with Python 3.11 or newer and Inno Setup 6:
#   powershell -ExecutionPolicy Bypass -File installer\windows\build.ps1 [-Out dist]
# To sign, set SPLU_SIGN_THUMBPRINT to the thumbprint of a certificate in the user's store; without it nothing is signed.
param([string]$Out = "dist", [string]$Python = "python")
$ErrorActionPreference = "Stop"
$Root = (Resolve-Path "$PSScriptRoot\..\..").Path
$Out = [IO.Path]::GetFullPath([IO.Path]::Combine((Get-Location).Path, $Out))
$Work = Join-Path $Out "work"
New-Item -ItemType Directory -Force $Work | Out-Null

function Invoke-Checked([string]$Program, [string[]]$Arguments) {
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Program ended with $LASTEXITCODE" }
}

$Venv = Join-Path $Work "venv"
$VenvPython = Join-Path $Venv "Scripts\python.exe"
if (-not (Test-Path $VenvPython)) {
    Invoke-Checked $Python @("-m", "venv", $Venv)
    Invoke-Checked $VenvPython @("-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--require-hashes",
        "--only-binary=:all:", "-r", "$Root\requirements-packaging.lock")
}
Invoke-Checked $VenvPython @("$Root\packaging\make.py", $Out, "--work", $Work)
$Bundle = Join-Path $Work "frozen\splu-desktop"
$Version = (& "$Bundle\splu.exe" --version).Split(" ")[1]

$Sign = $null
if ($env:SPLU_SIGN_THUMBPRINT) {
    $SignArguments = @("sign", "/sha1", $env:SPLU_SIGN_THUMBPRINT, "/fd", "SHA256", "/tr", "http://timestamp.digicert.com", "/td", "SHA256")
    foreach ($Name in @("splu-desktop.exe", "splu.exe")) {
        Invoke-Checked "signtool" ($SignArguments + "$Bundle\$Name")
    }
    $Sign = "signtool $($SignArguments -join ' ') `$f"
} else {
    Write-Host "No SPLU_SIGN_THUMBPRINT: nothing is signed."
}

$Iscc = @("$env:ProgramFiles\Inno Setup 6\ISCC.exe", "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe",
    "$env:LOCALAPPDATA\Programs\Inno Setup 6\ISCC.exe") | Where-Object { Test-Path $_ } | Select-Object -First 1
if (-not $Iscc) { throw "Inno Setup 6 was not found; install it from https://jrsoftware.org/isdl.php" }
$Defines = @("/DVersion=$Version", "/DBundle=$Bundle", "/DOut=$Out", "/DIcon=$Work\icons\splu-desktop.ico")
if ($Sign) { $Defines += @("/Ssplu=$Sign", "/DSignTool=splu") }
Invoke-Checked $Iscc ($Defines + "$PSScriptRoot\splu-desktop.iss")

Get-ChildItem $Out -File | Where-Object { $_.Extension -in ".exe", ".json" } | Sort-Object Name | ForEach-Object {
    "$((Get-FileHash $_.FullName -Algorithm SHA256).Hash.ToLower())  $($_.Name)"
} | Set-Content -Encoding ascii (Join-Path $Out "SHA256SUMS")
Write-Host "Installer: $Out"
