import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("the export of identities")
struct ExportTests {
  let issuance: Issuance

  init() throws { issuance = try Issuance.shared }

  func identity(_ kind: String) throws -> Identity {
    try IdentityFile(issuance.secret(kind + ".p12"), passphrase: Secret("secret")).identities[0]
  }

  @Test(
    "openssl reads a file of either form, and it has the same key and certificates",
    arguments: ["p256", "rsa", "ed25519"], Identity.PKCS12Form.allCases)
  func openssl(kind: String, form: Identity.PKCS12Form) throws {
    let name = "\(kind)-\(form)"
    let identity = try identity(kind)
    let file = try identity.pkcs12(passphrase: Secret("pässwörd"), form: form, iterations: 2000)
    try issuance.write(file.public, as: name + ".p12")
    let read = "openssl pkcs12 -in \(name).p12 -passin 'pass:pässwörd' -nodes"
    let output = try issuance.run(
      "bash", "-euc",
      "\(read) | openssl pkcs8 -topk8 -nocrypt -outform DER | cmp - \(kind).p8; \(read) -nokeys"
        + " | sed -n '/BEGIN/,/END/p' | cmp - <(cat \(kind).pem chain.pem); \(read) -info 2>&1")
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains(form == .modern ? "MAC: sha256" : "MAC: sha1"))
    #expect(text.contains(form == .modern ? "AES-256-CBC" : "pbeWithSHA1And3-KeyTripleDES-CBC"))
    #expect(text.contains("friendlyName:"))

    let again = try IdentityFile(file, passphrase: Secret("pässwörd"))
    #expect(again.identities.map(\.certificate) == [identity.certificate])
    #expect(again.identities[0].chain == identity.chain)
    #expect(again.identities[0].key.pkcs8.isEqual(to: identity.key.pkcs8))
    #expect(again.identities[0].label == "Ann’s \(kind)")
  }

  @Test("a friendly name that ends as strings of C do is read without its NUL")
  func terminatedName() throws {
    let identity = try identity("p256")
    let terminated = try Identity(
      certificate: identity.certificate, chain: identity.chain, key: identity.key, label: "Ann\0")
    let file = try terminated.pkcs12(passphrase: Secret("p"), form: .modern, iterations: 2000)
    #expect(try IdentityFile(file, passphrase: Secret("p")).identities.map(\.label) == ["Ann"])
  }

  @Test("PEM is what openssl writes, and is read again")
  func pem() throws {
    for kind in Issuance.kinds {
      let identity = try identity(kind)
      #expect(Array(identity.certificate.pem.utf8) == (try issuance.bytes(kind + ".pem")))
      try issuance.write(identity.key.pem.public, as: kind + ".own")
      let own = try issuance.run(
        "openssl", "pkcs8", "-topk8", "-nocrypt", "-in", kind + ".own", "-outform", "DER")
      #expect(own == (try issuance.bytes(kind + ".p8")))
      let again = try IdentityFile(identity.pem).identities[0]
      #expect(again.certificate == identity.certificate && again.chain == identity.chain)
      #expect(again.key.pkcs8.isEqual(to: identity.key.pkcs8))
    }
  }

  @Test("NSS reads the export, and its own file, in BER and of 600 000 iterations, is read whole")
  func nss() throws {
    let file = try identity("p256").pkcs12(
      passphrase: Secret("secret"), form: .modern, iterations: 2000)
    try issuance.write(file.public, as: "for-nss.p12")
    try issuance.run(
      "bash", "-euc",
      """
      mkdir nss && certutil -N --empty-password -d sql:nss
      pk12util -i for-nss.p12 -W secret -d sql:nss
      name=$(certutil -L -d sql:nss | grep -o 'Ann.s p256')
      pk12util -o from-nss.p12 -n "$name" -W secret -d sql:nss
      """)
    let again = try IdentityFile(issuance.secret("from-nss.p12"), passphrase: Secret("secret"))
    #expect(again.identities.map(\.certificate) == [try issuance.certificate("p256")])
    #expect(
      again.identities[0].chain
        == [try issuance.certificate("middle"), try issuance.certificate("root")])
    #expect(again.identities[0].key.matches(try issuance.certificate("p256")))
    let bytes = try issuance.bytes("from-nss.p12")
    #expect(bytes.prefix(2) == [0x30, 0x80])
  }

  @Test("an empty passphrase is refused, and an identity needs its own key")
  func refused() throws {
    let identity = try identity("p256")
    #expect(throws: VaultError(.invalidArgument, "")) {
      try identity.pkcs12(passphrase: Secret(""))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try identity.pkcs12(passphrase: Secret([0xFF]))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try Identity(certificate: try issuance.certificate("rsa"), key: identity.key)
    }
  }

  @Test("the validity of an identity is that of all its certificates but a root")
  func validity() throws {
    let identity = try identity("p256")
    #expect(identity.notAfter == identity.certificate.notAfter)
    #expect(identity.issuers.map(\.summary) == ["middle", "root", "root"])
    let short = try Identity(
      certificate: issuance.certificate("root"), chain: [issuance.certificate("p256")],
      key: IdentityFile([issuance.secret("root.key"), issuance.secret("root.pem")])
        .identities[0].key)
    #expect(short.notAfter == identity.certificate.notAfter)
  }

  @Test("neither describing nor dumping an identity shows its key")
  func descriptions() throws {
    let identity = try identity("p256")
    var text = ""
    dump(identity, to: &text)
    #expect("\(identity)" == "\(identity.certificate.subject)")
    #expect(!text.contains("pkcs8") && !text.contains("Secret"))
  }
}

/// Java is not part of the tests' own installation: it is used where there is one.
private let hasKeytool = (try? Issuance.shared.run("keytool", "-help")) != nil

@Suite("identities of Java", .enabled(if: hasKeytool))
struct JavaTests {
  let issuance: Issuance

  init() throws { issuance = try Issuance.shared }

  @Test("keytool reads both forms of an export, and all identities of its own file are read")
  func keytool() throws {
    let identity = try IdentityFile(
      issuance.secret("rsa.p12"), passphrase: Secret("secret")
    ).identities[0]
    for form in Identity.PKCS12Form.allCases {
      let file = try identity.pkcs12(
        passphrase: Secret("secret"), form: form, iterations: 2000)
      try issuance.write(file.public, as: "java-\(form).p12")
    }
    try issuance.run(
      "bash", "-euc",
      """
      for form in modern compatible; do
        keytool -importkeystore -srckeystore java-$form.p12 -srcstorepass secret \\
          -destkeystore java.p12 -deststoretype PKCS12 -deststorepass secret \\
          -srcalias 'ann’s rsa' -destalias $form
      done
      keytool -importcert -noprompt -alias root -file root.pem -keystore java.p12 -storepass secret
      """)
    let file = try IdentityFile(issuance.secret("java.p12"), passphrase: Secret("secret"))
    #expect(file.identities.map(\.label) == ["modern", "compatible"])
    for read in file.identities {
      #expect(read.certificate == identity.certificate && read.chain == identity.chain)
      #expect(read.key.pkcs8.isEqual(to: identity.key.pkcs8))
    }
  }
}
