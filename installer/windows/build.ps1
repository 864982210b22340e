# Builds the Windows bundle and installer. On a PC with Python 3.11 or newer and Inno Setup 6:
#   powershell -ExecutionPolicy Bypass -File installer\windows\build.ps1 [-Out dist]
# To sign, set SPLU_SIGN to a command line that signs the file named after it, whatever keeps the key: a certificate
# store, a token (HSM) or a service. Every program and library, the setup and its uninstaller go through it, for instance
#   signtool sign /sha1 THUMBPRINT /fd SHA256 /tr http://timestamp.digicert.com /td SHA256
#   AzureSignTool sign -kvu https://VAULT... -kvm -kvc NAME -tr http://timestamp.digicert.com
# Without it nothing is signed.
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
function Get-Fact([string]$Name) {
    $Told = & $VenvPython "$Root\packaging\facts.py" $Name
    if ($LASTEXITCODE -ne 0) { throw "facts.py $Name ended with $LASTEXITCODE" }
    return $Told
}
$Version = Get-Fact "number"
$Machine = if ($env:PROCESSOR_ARCHITECTURE -eq "ARM64") { "arm64" } else { "x64" }

if ($env:SPLU_SIGN) {
    Get-ChildItem $Bundle -Recurse -Include *.exe, *.dll, *.pyd | ForEach-Object {
        # What its own maker signed, such as Microsoft's run-time library, stays so.
        if ((Get-AuthenticodeSignature $_.FullName).Status -ne "Valid") {
            Invoke-Checked "cmd" @("/c", "$env:SPLU_SIGN `"$($_.FullName)`"")
        }
    }
    # The list of files that splu --self-test compares with is of the signed ones.
    Invoke-Checked $VenvPython @("$Root\packaging\seal.py", $Bundle)
    Copy-Item "$Bundle\_internal\splu_desktop\resources\files.sha256" "$Out\splu-desktop-$Version-windows-$Machine.files.sha256"
} else {
    Write-Host "No SPLU_SIGN: nothing is signed."
}

$Iscc = @("$env:ProgramFiles\Inno Setup 6\ISCC.exe", "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe",
    "$env:LOCALAPPDATA\Programs\Inno Setup 6\ISCC.exe") | Where-Object { Test-Path $_ } | Select-Object -First 1
if (-not $Iscc) { throw "Inno Setup 6 was not found; install it from https://jrsoftware.org/isdl.php" }
$Defines = @("/DVersion=$Version", "/DNumbers=$(Get-Fact 'numbers')", "/DPublisher=$(Get-Fact 'publisher')",
    "/DHomepage=$(Get-Fact 'homepage')", "/DMachine=$Machine", "/DBundle=$Bundle", "/DOut=$Out",
    "/DIcon=$Work\icons\splu-desktop.ico")
if ($env:SPLU_SIGN) { $Defines += @("/Ssplu=$($env:SPLU_SIGN.Replace('"', '$q')) `$f", "/DSignTool=splu") }
Invoke-Checked $Iscc ($Defines + "$PSScriptRoot\splu-desktop.iss")

Get-ChildItem $Out -File | Where-Object { $_.Extension -in ".exe", ".json", ".sha256" } | Sort-Object Name | ForEach-Object {
    "$((Get-FileHash $_.FullName -Algorithm SHA256).Hash.ToLower())  $($_.Name)"
} | Set-Content -Encoding ascii (Join-Path $Out "SHA256SUMS")
Write-Host "Installer: $Out"
