import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("Slot")
struct SlotTests {
  let keys = EpochKeys.random(epoch: 3)
  let file = KeyFile()
  let damaged = VaultError(.damaged, "")

  private func slot(name: String = "laptop", id: UInt32 = 2) throws -> Slot {
    try Slot(for: .keyFile(file), to: keys, id: id, name: name, cost: .standard)
  }

  /// Returns a slot's bytes with a corrected checksum.
  private func repaired(_ body: [UInt8], id: UInt32 = 2) -> [UInt8] {
    var message: [UInt8] = []
    id.appendLittleEndian(to: &message)
    return body.dropLast(8) + Hash.checksum(message + body.dropLast(8))
  }

  @Test("a key file opens its slot, and another one is authenticationFailed")
  func keyFile() throws {
    let slot = try slot()
    #expect(slot.kind == .keyFile && slot.cost == nil && slot.name == "laptop")
    let read = try Slot(decoding: slot.encoded, id: 2)
    #expect(read == slot)
    #expect(try read.open(with: .keyFile(file), idents: [keys.ident]).hasSameVaultKey(as: keys))
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try read.open(with: .keyFile(KeyFile()), idents: [keys.ident])
    }
  }

  @Test(
    "a passphrase opens its slot byte for byte",
    arguments: ["p", "pässwörd ✓", "two\nlines\n"])
  func passphrase(_ text: String) throws {
    let slot = try Slot(
      for: .passphrase(Secret(text)), to: keys, id: 1, name: "", cost: .minimum)
    #expect(slot.kind == .passphrase && slot.cost == .minimum)
    let read = try Slot(decoding: slot.encoded, id: 1)
    let opened = try read.open(with: .passphrase(Secret(text)), idents: [keys.ident])
    #expect(opened.hasSameVaultKey(as: keys))
    for wrong in [text + "\n", text + " ", text + "\0"] {
      #expect(throws: VaultError(.authenticationFailed, "")) {
        try read.open(with: .passphrase(Secret(wrong)), idents: [keys.ident])
      }
    }
  }

  @Test("two slots of one key have nothing in common but kind and name")
  func freshSalts() throws {
    let bodies = [try slot().encoded, try slot().encoded]
    #expect(zip(bodies[0][36..<140], bodies[1][36..<140]).count { $0 == $1 } < 16)
    #expect(bodies[0][12..<28] != bodies[1][12..<28])
  }

  @Test("a slot with any byte changed is damaged")
  func flips() throws {
    let body = try slot().encoded
    for index in body.indices {
      #expect(throws: damaged) { try Slot(decoding: body.flipped(at: index), id: 2) }
    }
  }

  @Test("a slot with a byte changed under a right checksum opens only if it is the name's")
  func repairedFlips() throws {
    let body = try slot().encoded
    for index in body.indices.dropLast(8) {
      let changed = repaired(body.flipped(at: index))
      let opened: EpochKeys?
      do throws(VaultError) {
        opened = try Slot(decoding: changed, id: 2).open(with: .keyFile(file), idents: [keys.ident])
      } catch {
        #expect([.damaged, .authenticationFailed].contains(error.code))
        opened = nil
      }
      #expect((opened != nil) == (index >= 140), "byte \(index)")
    }
  }

  @Test("a slot cut off anywhere is damaged, with and without a right checksum")
  func truncation() throws {
    let body = try slot().encoded
    for count in body.indices {
      let short = Array(body[..<count])
      #expect(throws: damaged) { try Slot(decoding: short, id: 2) }
      guard count >= 8 else { continue }
      #expect(throws: damaged) { try Slot(decoding: repaired(short), id: 2) }
    }
    #expect(throws: damaged) { try Slot(decoding: repaired(body + [0]), id: 2) }
  }

  @Test("a slot moved to another id is damaged, and with a right checksum still opens nothing")
  func otherID() throws {
    let body = try slot().encoded
    #expect(throws: damaged) { try Slot(decoding: body, id: 3) }
    let moved = try Slot(decoding: repaired(body, id: 3), id: 3)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try moved.open(with: .keyFile(file), idents: [keys.ident])
    }
  }

  @Test("a slot of another vault or epoch opens nothing")
  func otherIdent() throws {
    let slot = try slot()
    let ident = keys.ident
    for other in [
      Ident(vaultID: VaultID(), epoch: ident.epoch),
      Ident(vaultID: ident.vaultID, epoch: ident.epoch - 1),
    ] {
      #expect(throws: VaultError(.authenticationFailed, "")) {
        try slot.open(with: .keyFile(file), idents: [other])
      }
    }
  }

  @Test("a name has at most 64 bytes and no NUL")
  func names() throws {
    for name in ["", "n", String(repeating: "ä", count: 32)] {
      #expect(try Slot(decoding: slot(name: name).encoded, id: 2).name == name)
    }
    for name in [String(repeating: "n", count: 65), "a\0b"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try slot(name: name) }
    }
  }

  @Test("a slot of an unknown kind is read, and takes no key", arguments: [0, 6, 255] as [UInt8])
  func unknownKind(_ kind: UInt8) throws {
    var body = try slot().encoded
    body[0] = kind
    let slot = try Slot(decoding: repaired(body), id: 2)
    #expect(slot.kind.rawValue == kind)
    #expect(!slot.takes(.keyFile(file)) && !slot.takes(.passphrase(Secret("p"))))
  }

  @Test("an empty passphrase makes no slot and opens none")
  func empty() throws {
    let slot = try Slot(
      for: .passphrase(Secret("p")), to: keys, id: 1, name: "", cost: .minimum)
    let empty = UnlockKey.passphrase(Secret(""))
    #expect(throws: VaultError(.invalidArgument, "")) {
      try slot.open(with: empty, idents: [keys.ident])
    }
    for key in [empty, .both(empty, SecondHalf { [file] in .keyFile(file) })] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try Slot(for: key, to: keys, id: 1, name: "", cost: .minimum)
      }
    }
  }

  /// Returns a passphrase and a key file; the one that opens slots alone first.
  private func both(_ passphrase: String, _ file: KeyFile, fileFirst: Bool = false) -> UnlockKey {
    let secret = Secret(passphrase)
    return fileFirst
      ? .both(.keyFile(file), SecondHalf { .passphrase(secret) })
      : .both(.passphrase(secret), SecondHalf { .keyFile(file) })
  }

  @Test("a slot that needs both opens with both, in either order, and with nothing less")
  func both() throws {
    let slot = try Slot(for: both("p", file), to: keys, id: 2, name: "two", cost: .minimum)
    #expect(slot.kind == .both && slot.kind.isKnown && slot.cost == .minimum)
    let read = try Slot(decoding: slot.encoded, id: 2)
    #expect(read == slot)
    for key in [both("p", file), both("p", file, fileFirst: true)] {
      #expect(try read.open(with: key, idents: [keys.ident]).hasSameVaultKey(as: keys))
    }
    for key in [both("q", file), both("p", KeyFile())] {
      #expect(throws: VaultError(.authenticationFailed, "")) {
        try read.open(with: key, idents: [keys.ident])
      }
    }
    for half in [UnlockKey.passphrase(Secret("p")), .keyFile(file)] {
      #expect(!read.takes(half) && read.missing(beside: half)?.code == .locked)
      // The same holds if the caller claims its kind.
      #expect(throws: VaultError(.invalidArgument, "")) {
        try read.open(with: half, idents: [keys.ident])
      }
    }
    #expect(!read.takes(.recoveryCode(RecoveryCode())))
  }

  @Test(
    "its first half alone opens the slot of that half; the second is read for no other slot, and once"
  )
  func halves() throws {
    let reads = Lock(0)
    let key = UnlockKey.both(
      .keyFile(file),
      SecondHalf {
        reads.withLock { $0 += 1 }
        return .passphrase(Secret("p"))
      })
    let single = try slot()
    #expect(single.takes(key))
    #expect(try single.open(with: key, idents: [keys.ident]).hasSameVaultKey(as: keys))
    #expect(reads.withLock { $0 } == 0)
    let ofPassphrase = try Slot(
      for: .passphrase(Secret("p")), to: keys, id: 1, name: "", cost: .minimum)
    #expect(!ofPassphrase.takes(key))
    let slot = try Slot(for: key, to: keys, id: 2, name: "", cost: .minimum)
    #expect(try slot.open(with: key, idents: [keys.ident]).hasSameVaultKey(as: keys))
    #expect(reads.withLock { $0 } == 1)
  }
}
