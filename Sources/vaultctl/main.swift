import CredentialVault
print(k())
