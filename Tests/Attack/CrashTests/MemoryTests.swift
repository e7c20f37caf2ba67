import AttackSupport
import CVaultSodium
import Foundation
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Remains of secrets, passphrases and keys in a process that has used a vault.
@Suite(.waiting) struct MemoryTests {
  private static let secret = "s3cret-of-the-memory-test-Zq8LkP2v"
  private static let refreshToken = "refresh-token-of-the-memory-test-m4Xw"
  private static let oneTimeKey = "otpauth://totp/x?secret=MEMORYTESTKEYOFONETIMEPASSWORDS"
  private static let session = "for-this-session-only-memory-test-7Gh"
  private static let passphrase = "correct horse memory battery staple"
  private static let large = String((0..<120).flatMap { "large-\($0 * 7919)-" })

  /// Creates a vault with secrets of every kind, and the key or passphrase in the file `key`.
  private static func fixture(passphrase isPassphrase: Bool) throws -> (VaultFixture, path: String)
  {
    let fixture = try VaultFixture()
    guard isPassphrase else { return (fixture, fixture.vault) }
    let path = fixture.folder("vault/p")
    try File.remove(fixture.folder("key"))
    try File.write(Array((passphrase + "\n").utf8), to: fixture.folder("key"))
    let store = try FileStore.create(
      VaultPath(path), key: .passphrase(Secret(passphrase)), slotName: "", cost: .minimum,
      stateFolder: fixture.stateFolder, lockTimeout: .seconds(1))
    try store.close()
    return (fixture, path)
  }

  private static func fill(_ store: FileStore) throws(VaultError) {
    let space = try ProtectionSpace(host: "memory.example.com", protocol: .https)
    var item = Item(space: space, account: "user", secret: Secret(secret))
    item.refreshToken = Secret(refreshToken)
    item.oneTimePasswordKey = Secret(oneTimeKey)
    _ = try store.add(item)
    _ = try store.add(Workload.item("large", large))
  }

  /// Returns everything that must not remain, by name.
  private static func patterns(
    _ path: String, key: [UInt8], isPassphrase: Bool
  ) throws -> [(
    String, [UInt8]
  )] {
    let keys = try Keys(path, key: key, isPassphrase: isPassphrase)
    return [
      ("secret", Array(secret.utf8)), ("refresh", Array(refreshToken.utf8)),
      ("one-time", Array(oneTimeKey.utf8)), ("session", Array(session.utf8)),
      ("large", Array(large.utf8)), ("input", key),
      ("slot", keys.slotKey), ("vault", keys.vaultKey),
    ] + keys.subkeys.enumerated().map { ("subkey\($0 + 1)", $1) }
  }

  private static func masked(_ patterns: [(String, [UInt8])]) -> String {
    patterns.map { name, bytes in
      let hex = bytes.map { byte in
        let digits = String(byte ^ 0xB7, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }
      return "\(name):\(hex.joined())"
    }.joined(separator: ",")
  }

  @Test(
    .disabled(if: Sanitizer.isActive, "a sanitizer keeps copies of memory"),
    arguments: [false, true])
  func `After lock and close nothing of a secret, passphrase or key is in memory`(
    isPassphrase: Bool
  ) throws {
    let (fixture, path) = try Self.fixture(passphrase: isPassphrase)
    let file = try File.read(fixture.folder("key"))
    let key = isPassphrase ? Array(Self.passphrase.utf8) : Array(file[8..<40])
    let unlockKey: UnlockKey = isPassphrase ? .passphrase(Secret(Self.passphrase)) : fixture.key
    try GoldenVault.withStore(path, key: unlockKey, stateFolder: fixture.stateFolder) {
      (store) throws(VaultError) in try Self.fill(store)
    }
    let arguments = [
      "vault": path, "passphrase": isPassphrase ? "1" : "0",
      "patterns": Self.masked(
        try Self.patterns(path, key: key, isPassphrase: isPassphrase)),
    ]
    let control = try fixture.driver("memory", arguments.merging(["control": "1"]) { $1 }).lines()
    #expect(control.count == 1 && control.first?.hasPrefix("control secret=") == true, "\(control)")
    let lines = try fixture.driver("memory", arguments).lines()
    let isDenied = lines.contains("remembered denied")
    #expect(
      lines.filter { $0.hasSuffix("clean") }
        == ["start clean", "locked clean", "closed clean"]
        + (isDenied ? [] : ["kept clean", "exposed clean", "remembered clean"])
        + ["rekeyed clean"])
    // By its own key, and by the one that is remembered.
    for step in ["unlocked "] + (isDenied ? [] : ["open "]) {
      let open = lines.first { $0.hasPrefix(step) } ?? ""
      for name in ["vault"] + (1...5).map({ "subkey\($0)" }) {
        #expect(open.contains("\(name)="), "the scanner does not find the \(name) key in use")
      }
      #expect(
        ["secret", "refresh", "one-time", "large", "input"].allSatisfy { !open.contains("\($0)=") })
    }
  }
}

extension MemoryTests {
  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer keeps copies of memory"))
  func `What is pending is sealed in memory, and gone once it is removed or the session has ended`()
    throws
  {
    let patterns = Self.masked([
      ("secret", Array(Self.secret.utf8)), ("refresh", Array(Self.refreshToken.utf8)),
      ("one-time", Array(Self.oneTimeKey.utf8)),
    ])
    let lines = try VaultFixture().driver("pending", ["patterns": patterns]).lines()
    let opened = lines.filter { $0.hasPrefix("opened ") }
    #expect(opened.count == 3)
    #expect(
      opened.allSatisfy { line in
        ["secret=", "refresh=", "one-time="].allSatisfy { line.contains($0) }
      }, "\(opened)")
    #expect(
      lines.filter { !$0.hasPrefix("opened ") }
        == ["start clean"] + (0..<3).flatMap { _ in ["held clean", "ended clean"] }, "\(lines)")
  }
}

extension MemoryTests {
  @Test(
    .disabled(if: Sanitizer.isActive, "a sanitizer keeps copies of memory"),
    arguments: ["rsa:2048", "ec", "ed25519"])
  func
    `After an import, a use in a vault and an export nothing of a private key or its passphrase is in memory`(
      kind: String
    ) throws
  {
    let fixture = try VaultFixture()
    let passphrase = "correct horse memory identity staple"
    let options = kind == "ec" ? "ec -pkeyopt ec_paramgen_curve:P-256" : kind
    let script = """
      cd '\(fixture.folder("."))'; umask 077
      openssl req -x509 -newkey \(options) -nodes -subj /CN=ann -keyout key.pem -out ann.pem
      openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.p8
      export='openssl pkcs12 -export -inkey key.pem -in ann.pem -passout'
      $export 'pass:\(passphrase)' -out pkcs12
      $export 'pass:\(passphrase)' -legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -out legacy
      cat ann.pem >pem; openssl pkcs8 -topk8 -in key.pem -passout 'pass:\(passphrase)' >>pem
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["bash", "-euc", script]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    // The end of the file: of RSA its primes, and of a curve the number and the public point.
    let key = try File.read(fixture.folder("key.p8"))
    let secret = kind == "ec" ? key[36..<68] : kind == "ed25519" ? key[16..<48] : key.suffix(600)
    let patterns = Self.masked([
      ("key", Array(secret)), ("passphrase", Array(passphrase.utf8)),
    ])
    var arguments = ["patterns": patterns]
    for name in ["pkcs12", "legacy", "pem"] { arguments[name] = fixture.folder(name) }
    let lines = try fixture.driver("identity", arguments).lines()
    let used = lines.filter { $0.hasPrefix("used ") }
    #expect(used.count == 3)
    #expect(used.allSatisfy { $0.contains("key=") && $0.contains("passphrase=") }, "\(lines)")
    #expect(
      lines.filter { !$0.hasPrefix("used ") }
        == ["start clean", "pkcs12 clean", "legacy clean", "pem clean"], "\(lines)")
  }
}

/// The keys of a vault, as `Documentation/format.md` §4 derives them.
private struct Keys {
  private(set) var slotKey = [UInt8](repeating: 0, count: 64)
  private(set) var vaultKey = [UInt8](repeating: 0, count: 32)
  private(set) var subkeys: [[UInt8]] = []

  init(_ path: String, key: [UInt8], isPassphrase: Bool) throws {
    let ident = try Database.bytes("SELECT ident FROM vault", of: path)
    let body = try Database.bytes("SELECT body FROM slot WHERE id = 1", of: path)
    let salt = Array(body[12..<28])
    // All lengths below are libsodium's own for these primitives.
    if isPassphrase {
      let password = key.map(CChar.init(bitPattern:))
      let status = unsafe crypto_pwhash(
        &slotKey, 64, password, UInt64(password.count), salt, 1, 8 << 20,
        crypto_pwhash_ALG_ARGON2ID13)
      try #require(status == 0)
    } else {
      let message = Array("vltkek01".utf8) + salt
      let status = unsafe crypto_generichash(
        &slotKey, 64, message, UInt64(message.count), key, key.count)
      try #require(status == 0)
    }
    var associatedData = Array("vltslot1".utf8)
    associatedData += [1, 0]
    associatedData += ident[12..<36]
    associatedData += [1, 0, 0, 0]
    associatedData += body[0..<2]
    associatedData += body[4..<36]
    let status = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
      &vaultKey, nil, nil, Array(body[60..<108]), 48, associatedData,
      UInt64(associatedData.count), Array(body[36..<60]), slotKey)
    try #require(status == 0)
    for number in 1...5 {
      var subkey = [UInt8](repeating: 0, count: 32)
      let context = "vltkeys1".utf8.map(CChar.init(bitPattern:))
      _ = unsafe crypto_kdf_derive_from_key(&subkey, 32, UInt64(number), context, vaultKey)
      subkeys.append(subkey)
    }
  }
}
