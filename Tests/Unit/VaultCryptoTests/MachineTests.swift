import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("keys of machines")
struct MachineTests {
  private let admin = AdminSecret()
  private var ident: Ident { Ident(vaultID: id, epoch: 3) }
  private let id = VaultID()

  @Test("a machine's key file reads back, and not with any byte changed or missing")
  func keyFile() throws {
    let key = MachineKey(joining: admin.key)
    let bytes = key.encoded().array
    let read = try bytes.withSpan { (bytes) throws(VaultError) in try MachineKey(decoding: bytes) }
    #expect(read.publicKey == key.publicKey && read.admin == admin.key)
    #expect(bytes.count == MachineKey.byteCount)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      for wrong in [changed, Array(bytes[..<index])] {
        #expect(throws: VaultError(.invalidData, "")) {
          try wrong.withSpan { (bytes) throws(VaultError) in try MachineKey(decoding: bytes) }
        }
      }
    }
  }

  @Test("a signature is of these machines, of this vault and epoch, by this admin")
  func roster() throws {
    let machines: [(id: UInt32, body: [UInt8])] = [(17, [1, 2]), (18, [3])]
    let roster = admin.sign(machines, of: ident)
    #expect(roster.isValid(machines, of: ident) && roster.admin == admin.key)
    #expect(Roster(decoding: roster.encoded) == roster)
    #expect(Roster(decoding: roster.encoded + [0]) == nil)
    let others: [[(id: UInt32, body: [UInt8])]] = [
      [], [(17, [1, 2])], [(17, [1, 2]), (18, [4])], [(17, [1, 2]), (19, [3])],
      [(18, [3]), (17, [1, 2])], [(17, [1]), (18, [2, 3])],
    ]
    for other in others { #expect(!roster.isValid(other, of: ident)) }
    #expect(!roster.isValid(machines, of: Ident(vaultID: id, epoch: 4)))
    #expect(!roster.isValid(machines, of: Ident(vaultID: VaultID(), epoch: 3)))
    for index in 0..<Roster.byteCount {
      var bytes = roster.encoded
      bytes[index] ^= 1
      #expect(Roster(decoding: bytes)?.isValid(machines, of: ident) == false)
    }
  }

  @Test("an admin's share opens for that machine alone, and only of the key that it was joined to")
  func share() throws {
    let keys = EpochKeys(VaultKey(), ident: ident)
    func slot(_ machine: MachineKey, _ share: [UInt8]?) throws -> MachineSlot {
      let slot = try Slot(
        forMachine: machine.publicKey, share: share, to: keys, id: 17, name: "m", created: .now())
      let read = try Slot(decoding: slot.encoded, id: 17)
      #expect(read == slot)
      return try #require(read.machine)
    }
    let (own, other) = (MachineKey(joining: admin.key), MachineKey(joining: admin.key))
    let good = try slot(own, admin.share(for: own.publicKey))
    #expect(AdminSecret(in: good, for: own)?.key == admin.key)
    #expect(AdminSecret(in: good, for: other) == nil)
    #expect(AdminSecret(in: try slot(own, nil), for: own) == nil)
    #expect(AdminSecret(in: try slot(own, admin.share(for: other.publicKey)), for: own) == nil)
    let foreign = AdminSecret()
    let forged = try slot(own, foreign.share(for: own.publicKey))
    #expect(AdminSecret(in: forged, for: own) == nil)
    #expect(try !slot(own, nil).isAdmin && good.isAdmin)
  }
}
