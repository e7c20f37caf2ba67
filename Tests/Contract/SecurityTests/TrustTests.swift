import CredentialVault
import Foundation
import SecureMemory
import Security
import TLSCredentials
import TestSupport
import Testing

/// Certificates, trust and imports in Apple's words, over what `openssl` makes.
extension SecurityTests {
  @Suite("certificates and trust")
  struct Trust {
    private static let made = Result { try Made() }

    /// Keys, certificates and a file, made once.
    private struct Made {
      let folder: TemporaryFolder

      init() throws {
        folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.arguments = ["-ec", Self.script]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
      }

      private static let script = """
        K='-newkey ec -nodes -pkeyopt ec_paramgen_curve:P-256'
        openssl req -x509 $K -keyout root.key -out root.pem -days 30 -subj '/O=Example/CN=root' \\
          -addext keyUsage=critical,keyCertSign
        openssl req $K -keyout leaf.key -out leaf.csr -subj '/O=Example/CN=www'
        printf 'subjectAltName=DNS:www.example.com\\nextendedKeyUsage=serverAuth\\n' >leaf.ext
        openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 7 -days 20 \\
          -extfile leaf.ext -out leaf.pem
        for name in root leaf; do openssl x509 -in $name.pem -outform DER -out $name.cer; done
        openssl pkcs12 -export -inkey leaf.key -in leaf.pem -certfile root.pem \\
          -passout pass:secret -name 'a name' -out leaf.p12
        """
    }

    private func data(_ name: String) throws -> Data {
      let folder = try Self.made.get().folder
      return Data(try folder.bytes(folder.file(name)))
    }

    private func certificate(_ name: String) throws -> SecCertificate {
      try #require(SecCertificateCreateWithData(nil, data("\(name).cer") as CFData))
    }

    private func trust(_ policy: SecPolicy?) throws -> SecTrust {
      var trust: SecTrust?
      let status = unsafe SecTrustCreateWithCertificates(
        [try certificate("leaf")] as CFArray, policy, &trust)
      #expect(status == errSecSuccess)
      return try #require(trust)
    }

    private func result(_ trust: SecTrust) -> SecTrustResultType {
      var result = SecTrustResultType.invalid
      #expect(unsafe SecTrustEvaluate(trust, &result) == errSecSuccess)
      return result
    }

    @Test("a certificate is what it was made of, and nothing else is one")
    func certificates() throws {
      let leaf = try certificate("leaf")
      #expect(SecCertificateCopyData(leaf) == (try data("leaf.cer")))
      #expect(SecCertificateCopySubjectSummary(leaf) == "www")
      #expect(try leaf == certificate("leaf") && leaf != certificate("root"))
      #expect(SecCertificateCreateWithData(nil, Data(try data("leaf.cer").dropLast())) == nil)
      #expect(SecCertificateCreateWithData(nil, Data()) == nil)
    }

    @Test("a chain is evaluated by the authorities, the policy and the time that are set")
    func evaluation() throws {
      let trust = try trust(SecPolicyCreateSSL(true, "www.example.com"))
      #expect(result(trust) == .recoverableTrustFailure)
      #expect(SecTrustSetAnchorCertificates(trust, [try certificate("root")]) == errSecSuccess)
      var known = SecTrustResultType.proceed
      unsafe SecTrustGetTrustResult(trust, &known)
      #expect(known == .invalid)
      #expect(result(trust) == .unspecified)
      unsafe SecTrustGetTrustResult(trust, &known)
      #expect(known == .unspecified)
      #expect(
        SecTrustCopyCertificateChain(trust) as? [SecCertificate] == [
          try certificate("leaf"), try certificate("root"),
        ])
      #expect(SecTrustGetCertificateCount(trust) == 2)
      SecTrustSetAnchorCertificatesOnly(trust, false)
      #expect(result(trust) == .unspecified)
      SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: 25 * 86400))
      #expect(result(trust) == .recoverableTrustFailure)
      SecTrustSetVerifyDate(trust, Date())
      SecTrustSetPolicies(trust, [SecPolicyCreateSSL(true, "www.example.org")])
      #expect(result(trust) == .recoverableTrustFailure)
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(false, nil))
      #expect(result(trust) == .recoverableTrustFailure)
      SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
      #expect(result(trust) == .unspecified)
      SecTrustSetAnchorCertificates(trust, nil)
      #expect(result(trust) == .recoverableTrustFailure)
    }

    @Test("the error has Apple's number for the gravest reason")
    func errors() throws {
      let trust = try trust(SecPolicyCreateSSL(true, "www.example.org"))
      func code() -> CFIndex {
        var error: CFError?
        let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
        #expect(isTrusted == (error == nil))
        return error.map(CFErrorGetCode) ?? 0
      }
      // What nobody vouches for is worse than a wrong name.
      #expect(code() == CFIndex(errSecNotTrusted))
      SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: 25 * 86400))
      #expect(code() == CFIndex(errSecNotTrusted))
      SecTrustSetVerifyDate(trust, Date())
      SecTrustSetAnchorCertificates(trust, [try certificate("root")])
      #expect(code() == CFIndex(errSecHostNameMismatch))
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "not a host"))
      #expect(code() == CFIndex(errSecHostNameMismatch))
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "www.example.com"))
      #expect(code() == 0)
      SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: 25 * 86400))
      #expect(code() == CFIndex(errSecCertificateExpired))
      SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: -86400))
      #expect(code() == CFIndex(errSecCertificateNotValidYet))
      SecTrustSetVerifyDate(trust, Date())
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(false, nil))
      #expect(code() == CFIndex(errSecInvalidExtendedKeyUsage))
      SecTrustSetAnchorCertificates(trust, [])
      SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
      #expect(code() == CFIndex(errSecNotTrusted))
    }

    @Test("what is no certificate or policy is refused, and changes nothing")
    func parameters() throws {
      var trust: SecTrust?
      let leaf = try certificate("leaf")
      #expect(unsafe SecTrustCreateWithCertificates("leaf", nil, &trust) == errSecParam)
      #expect(unsafe SecTrustCreateWithCertificates([] as CFArray, nil, &trust) == errSecParam)
      #expect(
        unsafe SecTrustCreateWithCertificates([leaf, 1] as CFArray, nil, &trust) == errSecParam)
      #expect(unsafe SecTrustCreateWithCertificates(leaf, "policy", &trust) == errSecParam)
      #expect(trust == nil)
      #expect(unsafe SecTrustCreateWithCertificates(leaf, nil, &trust) == errSecSuccess)
      let made = try #require(trust)
      #expect(SecTrustSetAnchorCertificates(made, ["root"]) == errSecParam)
      #expect(SecTrustSetPolicies(made, "policy") == errSecParam)
    }

    @Test("a file gives a dictionary for each identity, by its passphrase alone")
    func importing() throws {
      var items: CFArray?
      let file = try data("leaf.p12")
      func status(_ options: CFDictionary) -> OSStatus {
        unsafe SecPKCS12Import(file as CFData, options, &items)
      }
      #expect(status([kSecImportExportPassphrase: "wrong"]) == errSecAuthFailed)
      #expect(status([kSecImportExportPassphrase: 1]) == errSecParam)
      #expect(items == nil)
      #expect(
        status([kSecImportExportPassphrase as String: "secret"] as CFDictionary) == errSecSuccess)
      let entries = try #require(items as? [[String: Any]])
      try #require(entries.count == 1)
      #expect(entries[0][kSecImportItemLabel] as? String == "www")
      #expect((entries[0][kSecImportItemKeyID] as? Data)?.count == 20)
      let chain = try #require(entries[0][kSecImportItemCertChain] as? [SecCertificate])
      #expect(chain == [try certificate("leaf"), try certificate("root")])
      let trust = try #require(entries[0][kSecImportItemTrust] as? SecTrust)
      SecTrustSetAnchorCertificates(trust, [try certificate("root")])
      #expect(result(trust) == .unspecified)
      let identity = try #require(entries[0][kSecImportItemIdentity] as? SecIdentity)
      var leaf: SecCertificate?
      #expect(unsafe SecIdentityCopyCertificate(identity, &leaf) == errSecSuccess)
      #expect(leaf == (try certificate("leaf")))
      #expect(unsafe SecPKCS12Import(Data("text".utf8), [:], &items) == errSecDecode)
    }

    @Test("an identity of the user's vault is preferred for a URL, its paths and its domain")
    func preferences() throws {
      try TestVault.use()
      var items: CFArray?
      let file = try data("leaf.p12")
      let options: CFDictionary = [kSecImportExportPassphrase: "secret"]
      #expect(unsafe SecPKCS12Import(file as CFData, options, &items) == errSecSuccess)
      let entries = try #require(items as? [[String: Any]])
      let identity = try #require(entries[0][kSecImportItemIdentity] as? SecIdentity)
      let name = "https://preferred.example.com/team/"
      func preferred(_ name: String) -> SecCertificate? {
        var certificate: SecCertificate?
        guard let found = SecIdentityCopyPreferred(name, nil, nil) else { return nil }
        unsafe SecIdentityCopyCertificate(found, &certificate)
        return certificate
      }
      #expect(SecIdentitySetPreferred(identity, name, nil) == errSecItemNotFound)
      let identities = try TestVault.vault().identities
      let stored = try identities.add(
        IdentityFile(Secret(copying: file.span), passphrase: Secret("secret")).identities[0])
      #expect(SecIdentitySetPreferred(identity, name, nil) == errSecSuccess)
      #expect(SecIdentitySetPreferred(identity, "*.wild.example.com", nil) == errSecSuccess)
      #expect(SecIdentitySetPreferred(identity, "*.com", nil) == errSecParam)
      #expect(SecIdentitySetPreferred(identity, "", nil) == errSecParam)
      let leaf = try certificate("leaf")
      for name in [name, name + "a/b?c", "https://a.wild.example.com/"] {
        #expect(preferred(name) == leaf, "\(name)")
      }
      #expect(preferred("https://preferred.example.com/") == nil)
      #expect(preferred("https://preferred.example.com/team") == nil)
      for name in [name, name, "*.wild.example.com"] {
        #expect(SecIdentitySetPreferred(nil, name, nil) == errSecSuccess)
      }
      #expect(preferred(name) == nil)
      // One that is preferred and was removed is not found.
      #expect(SecIdentitySetPreferred(identity, name, nil) == errSecSuccess)
      try identities.remove(stored.identity, removal: .permanent)
      #expect(preferred(name) == nil)
      #expect(SecIdentitySetPreferred(nil, name, nil) == errSecSuccess)
    }

    @Test("the same certificate and key twice in a file are one identity")
    func twice() throws {
      let file = Data(try TwiceIdentity.file)
      var items: CFArray?
      let options: [String: Any] = [kSecImportExportPassphrase: "secret"]
      // The place is this function's own.
      let status = unsafe SecPKCS12Import(file as CFData, options as CFDictionary, &items)
      #expect(status == errSecSuccess)
      let found = try #require(items as? [[String: Any]])
      #expect(found.map { $0[kSecImportItemLabel] as? String } == ["twice"])
    }

    @Test("one certificate of a chain, a revocation policy, and what an error has")
    func names() throws {
      let trust = try trust(SecPolicyCreateSSL(true, "www.example.com" as CFString))
      let root = try certificate("root")
      #expect(SecTrustSetAnchorCertificates(trust, [root] as CFArray) == errSecSuccess)
      var isTrusted = SecTrustEvaluateWithError(trust, nil)
      #expect(isTrusted)
      #expect(SecTrustGetCertificateAtIndex(trust, 1) == root)
      #expect(SecTrustGetCertificateAtIndex(trust, 2) == nil)
      #expect(SecPolicyCreateRevocation(0) == nil)
      let known = try #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
      #expect(SecTrustSetPolicies(trust, known) == errSecSuccess)
      isTrusted = SecTrustEvaluateWithError(trust, nil)
      #expect(isTrusted)
      let flags = kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse
      let required = try #require(SecPolicyCreateRevocation(flags))
      #expect(SecTrustSetPolicies(trust, required) == errSecSuccess)
      var error: CFError?
      // The place is this function's own.
      isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
      #expect(!isTrusted)
      let found = try #require(error)
      #expect(CFErrorGetCode(found) == Int(errSecIncompleteCertRevocationCheck))
      #expect(CFErrorGetDomain(found) == kCFErrorDomainOSStatus)
      let info = CFErrorCopyUserInfo(found) as? [String: Any]
      let text = info?[kCFErrorLocalizedDescriptionKey] as? String
      #expect(text == CFErrorCopyDescription(found))
    }
  }
}
