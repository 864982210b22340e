# Builds the Windows installer into dist, signed where there is a certificate or a command that signs.
$ErrorActionPreference = "Stop"
Set-Location (Resolve-Path "$PSScriptRoot\..\..").Path
if ($env:CERTIFICATE) {
    $Key = Join-Path $env:RUNNER_TEMP "key.pfx"
    [IO.File]::WriteAllBytes($Key, [Convert]::FromBase64String($env:CERTIFICATE))
    $Password = ConvertTo-SecureString $env:PASSWORD -AsPlainText -Force
    $Found = Import-PfxCertificate $Key -CertStoreLocation Cert:\CurrentUser\My -Password $Password
    Remove-Item $Key
    $env:SPLU_SIGN = "signtool sign /sha1 $($Found.Thumbprint) /fd SHA256 /tr http://timestamp.digicert.com /td SHA256"
}
& "installer\windows\build.ps1" -Out dist
