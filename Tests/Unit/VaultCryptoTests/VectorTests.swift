import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

/// The golden vectors of keys and seals; `SealedTreeTests` covers those of records.
@Suite("golden vectors of keys and seals")
struct VectorTests {
  @Test("there are vectors of each area, and of no area that no test walks")
  func corpus() throws {
    let least = [
      "subkeys": 6, "nonce": 7, "keyfile": 9, "recovery": 25, "ident": 20, "slot": 81, "seal": 45,
      "secret": 28, "hash": 14, "record": 104, "head": 52, "ancestors": 14, "remembered": 20,
      "commit": 29,
    ]
    #expect(try Vector.areas() == Set(least.keys))
    for (area, count) in least {
      let vectors = try Vector.all(area)
      #expect(vectors.count >= count, "\(area)")
      #expect(vectors.contains { $0.expect == .success }, "\(area)")
    }
  }

  @Test("subkeys are those of their vectors", arguments: try Vector.all("subkeys"))
  func subkey(_ vector: Vector) throws {
    try vector.requireKeys(["vault-key", "number"], results: ["subkey"])
    let purpose = try #require(EpochKeys.Purpose(rawValue: try vector.number("number")))
    let keys = try EpochKeys(
      VaultKey(KeyBuffer(vector.bytes("vault-key"))), ident: Ident(vaultID: VaultID(), epoch: 1))
    let subkey = try vector.bytes("subkey")
    let isSame = keys.withSubkey(purpose) { $0.array == subkey }
    #expect(isSame)
    #expect("\(purpose)" == vector.scenario)
  }

  @Test("nonces are those of their vectors", arguments: try Vector.all("nonce"))
  func nonce(_ vector: Vector) throws {
    try vector.requireKeys(["nonce-key", "fresh", "associated-data"], results: ["nonce"])
    var nonce = try vector.bytes("fresh")
    let (key, associatedData) = try (vector.bytes("nonce-key"), vector.bytes("associated-data"))
    key.withSpan { key in
      // Both arrays live through the call, and the nonce has its 24 bytes.
      unsafe nonce.withUnsafeMutableBytes { nonce in
        unsafe vector.body.withUnsafeBytes { unsafe Nonce.derive(nonce, key, associatedData, $0) }
      }
    }
    #expect(try nonce == vector.bytes("nonce"))
  }

  @Test("key files are judged as their vectors say", arguments: try Vector.all("keyfile"))
  func keyFile(_ vector: Vector) throws {
    try vector.requireKeys([], results: ["key"])
    let found = try vector.judge(damage: .invalidData) { () throws(VaultError) in
      try vector.body.withSpan { (bytes) throws(VaultError) in try KeyFile(decoding: bytes) }
    }
    guard let found else { return }
    let isSame = try found.key.array == vector.bytes("key")
    #expect(isSame)
    #expect(found.encoded().array == vector.body)
  }

  @Test("recovery codes are judged as their vectors say", arguments: try Vector.all("recovery"))
  func recoveryCode(_ vector: Vector) throws {
    try vector.requireKeys([], results: ["code"])
    let found = try vector.judge(damage: .invalidData) { () throws(VaultError) in
      try RecoveryCode(reading: Secret(vector.body))
    }
    guard let found else { return }
    let isSame = try found.bytes.array == vector.bytes("code")
    #expect(isSame)
    let again = try RecoveryCode(reading: found.text())
    #expect(again.bytes.isEqual(to: found.bytes))
    if vector.scenario == "good" { #expect(found.text().array == vector.body) }
  }

  @Test("idents are judged as their vectors say", arguments: try Vector.all("ident"))
  func ident(_ vector: Vector) throws {
    try vector.requireKeys([], results: ["minor", "vault-id", "epoch"])
    let found = try vector.judge { () throws(VaultError) in try Ident(decoding: vector.body) }
    guard let found else { return }
    #expect(try found.minor == vector.number("minor"))
    #expect(try found.vaultID.bytes == vector.bytes("vault-id"))
    #expect(try found.epoch == vector.number("epoch"))
    #expect(found.encoded == vector.body)
  }

  @Test("slots are judged as their vectors say", arguments: try Vector.all("slot"))
  func slot(_ vector: Vector) throws {
    let credentials: Set = ["passphrase", "key-file", "recovery-code", "machine-key"]
    try vector.requireKeys(
      credentials.union(["vault-id", "epoch", "slot-id"]), results: ["vault-key"])
    let ident = try Ident(vector)
    let id: UInt32 = try vector.number("slot-id")
    let key = try #require(try UnlockKey(vector))
    if vector.expect == .tooCostly {
      // Decoding takes no passphrase, so nothing was derived when it fails.
      #expect(throws: VaultError(.damaged, "")) { try Slot(decoding: vector.body, id: id) }
    }
    let keys = try vector.judge { () throws(VaultError) in
      let slot = try Slot(decoding: vector.body, id: id)
      guard slot.takes(key) else {
        throw VaultError(.authenticationFailed, "not a slot for this kind of key")
      }
      return try slot.open(with: key, idents: [ident])
    }
    guard let keys else { return }
    let vaultKey = try vector.bytes("vault-key")
    let isSame = keys.vaultKey.buffer.withRawBytes { $0.array == vaultKey }
    #expect(isSame)
    #expect(try Slot(decoding: vector.body, id: id).encoded == vector.body)
  }

  @Test("sealed rows are judged as their vectors say", arguments: try Vector.all("seal"))
  func seal(_ vector: Vector) throws {
    try vector.requireKeys(
      ["vault-key", "vault-id", "epoch", "kind", "node-id"], results: ["content"])
    let keys = try EpochKeys(vector)
    let kind = try #require(NodeKind(rawValue: try vector.number("kind")))
    let id: UInt64 = try vector.number("node-id")
    let content = try vector.expect == .success ? vector.bytes("content") : Array("content".utf8)
    let found = try vector.judge { () throws(VaultError) in
      guard kind == .largeSecret else { return try keys.open(vector.body, as: kind, id: id) }
      return try keys.openLargeSecret(vector.body, id: id, count: content.count).array
    }
    #expect(found == nil || found == content)
  }

  @Test("sealed secrets are judged as their vectors say", arguments: try Vector.all("secret"))
  func secret(_ vector: Vector) throws {
    try vector.requireKeys(
      ["vault-key", "vault-id", "epoch", "use", "item-id"], results: ["secret"])
    let keys = try EpochKeys(vector)
    let item = try vector.bytes("item-id").withSpan { try ItemID(bytes: $0) }
    guard let use = SecretUse(rawValue: try vector.number("use")) else {
      // The library has no case for such a use.
      #expect(vector.expect == .damaged)
      return
    }
    let found = try vector.judge { () throws(VaultError) in
      try keys.open(vector.body[...], use: use, item: item)
    }
    guard let found else { return }
    let isSame = try found.array == vector.bytes("secret")
    #expect(isSame)
  }
}

extension UnlockKey {
  /// Returns the means to open a slot that a vector names; nil if it names none.
  fileprivate init?(_ vector: Vector) throws {
    var keyFile: UnlockKey?
    if vector.keys["key-file"] != nil {
      // A key file's 32 bytes, put into one.
      let content = Array("vltkey1\n".utf8) + (try vector.bytes("key-file"))
      let file = try (content + Hash.checksum(content)).withSpan { (bytes) throws(VaultError) in
        try KeyFile(decoding: bytes)
      }
      keyFile = .keyFile(file)
    }
    if vector.keys["machine-key"] != nil {
      self = .machine(
        try vector.bytes("machine-key").withSpan { (bytes) throws(VaultError) in
          try MachineKey(decoding: bytes)
        })
      return
    }
    if vector.keys["passphrase"] != nil {
      let passphrase = UnlockKey.passphrase(Secret(try vector.bytes("passphrase")))
      self = keyFile.map { file in .both(passphrase, SecondHalf { file }) } ?? passphrase
    } else if let keyFile {
      self = keyFile
    } else if vector.keys["recovery-code"] != nil {
      self = .recoveryCode(RecoveryCode(bytes: Secret(try vector.bytes("recovery-code"))))
    } else {
      return nil
    }
  }
}

extension Ident {
  fileprivate init(_ vector: Vector) throws {
    let vaultID = try #require(VaultID(vector.bytes("vault-id")[...]))
    self.init(vaultID: vaultID, epoch: try vector.number("epoch"))
  }
}

extension EpochKeys {
  fileprivate convenience init(_ vector: Vector) throws {
    self.init(
      VaultKey(KeyBuffer(try vector.bytes("vault-key"))), ident: try Ident(vector))
  }
}
