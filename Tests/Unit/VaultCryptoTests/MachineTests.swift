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
    let both = try key.joining(AdminSecret().key)
    for (key, count) in [(key, 80), (both, 112)] {
      let bytes = key.encoded().array
      let read = try Self.read(bytes)
      #expect(read.publicKey == key.publicKey && read.admins == key.admins)
      #expect(bytes.count == count)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        for wrong in [changed, Array(bytes[..<index])] {
          #expect(throws: VaultError(.invalidData, "")) { try Self.read(wrong) }
        }
      }
    }
  }

  private static func read(_ bytes: [UInt8]) throws(VaultError) -> MachineKey {
    try bytes.withSpan { (bytes) throws(VaultError) in try MachineKey(decoding: bytes) }
  }

  @Test("a machine joins several admin keys, and believes the chains of these alone")
  func severalAdmins() throws {
    let other = AdminSecret()
    let key = MachineKey(joining: admin.key)
    let both = try key.joining(other.key)
    #expect(both.publicKey == key.publicKey && both.admins == [admin.key, other.key])
    #expect(try both.joining(admin.key).admins == both.admins)
    for (machine, isJoined) in [(key, false), (both, true)] {
      #expect(machine.believes(AdminChain(admin.key)))
      #expect(machine.believes(AdminChain(other.key)) == isJoined)
      #expect(!machine.believes(AdminChain(AdminSecret().key)) && !machine.believes(nil))
    }
    var full = key
    for _ in 1..<MachineKey.mostAdmins { full = try full.joining(AdminSecret().key) }
    #expect(try Self.read(full.encoded().array).admins == full.admins)
    #expect(throws: VaultError(.tooLarge, "")) { try full.joining(AdminSecret().key) }
  }

  /// Returns a chain of admin keys from the first one on, each of an epoch from 2 on.
  private func chain(_ successors: [AdminSecret]) throws -> AdminChain {
    var chain = AdminChain(admin.key)
    for (index, pair) in zip([admin] + successors, successors).enumerated() {
      try chain.append(
        pair.1.key, from: Ident(vaultID: id, epoch: UInt64(index) + 2), signedBy: pair.0)
    }
    return chain
  }

  @Test("a signature is of these machines, of this vault and epoch, by the present admin")
  func roster() throws {
    let machines: [(id: UInt32, body: [UInt8])] = [(17, [1, 2]), (18, [3])]
    let successors = [AdminSecret(), AdminSecret()]
    for (signer, admins) in [(admin, try chain([])), (successors[1], try chain(successors))] {
      let roster = Roster(signing: machines, of: ident, by: signer, as: admins)
      #expect(roster.isValid(machines, of: ident) && roster.admins.present == signer.key)
      #expect(Roster(decoding: roster.encoded) == roster)
      #expect(Roster(decoding: roster.encoded + [0]) == nil)
      let others: [[(id: UInt32, body: [UInt8])]] = [
        [], [(17, [1, 2])], [(17, [1, 2]), (18, [4])], [(17, [1, 2]), (19, [3])],
        [(18, [3]), (17, [1, 2])], [(17, [1]), (18, [2, 3])],
      ]
      for other in others { #expect(!roster.isValid(other, of: ident)) }
      #expect(!roster.isValid(machines, of: Ident(vaultID: id, epoch: 4)))
      #expect(!roster.isValid(machines, of: Ident(vaultID: VaultID(), epoch: 3)))
      for index in roster.encoded.indices {
        var bytes = roster.encoded
        bytes[index] ^= 1
        #expect(Roster(decoding: bytes)?.isValid(machines, of: ident) == false)
      }
    }
  }

  @Test("an admin key is followed by those that each one before signed, for later epochs")
  func succession() throws {
    let successors = [AdminSecret(), AdminSecret()]
    let (short, long) = (try chain([successors[0]]), try chain(successors))
    #expect(long.continues(short) && long.continues(long) && !short.continues(long))
    #expect(!long.continues(AdminChain(successors[0].key)))
    #expect([admin, successors[0], successors[1]].allSatisfy { long.keys.contains($0.key) })
    #expect(!short.keys.contains(successors[1].key) && short.present == successors[0].key)
    func isValid(_ epochs: [UInt64], by signers: [AdminSecret]) throws -> Bool {
      var chain = AdminChain(admin.key)
      for (epoch, (new, signer)) in zip(epochs, zip(successors, signers)) {
        try chain.append(new.key, from: Ident(vaultID: id, epoch: epoch), signedBy: signer)
      }
      return Roster(signing: [], of: ident, by: successors[1], as: chain).isValid([], of: ident)
    }
    #expect(try isValid([1, 3], by: [admin, successors[0]]))
    for epochs in [[2, 2], [3, 2], [0, 3], [2, 4]] as [[UInt64]] {
      #expect(try !isValid(epochs, by: [admin, successors[0]]), "\(epochs)")
    }
    #expect(try !isValid([2, 3], by: [admin, admin]))
    var full = try chain((0..<AdminChain.mostLinks).map { _ in AdminSecret() })
    #expect(throws: VaultError(.invalidArgument, "")) {
      try full.append(admin.key, from: ident, signedBy: admin)
    }
  }

  @Test("an admin's share opens for that machine alone, and only of the present admin key")
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
    let admins = try chain([])
    let good = try slot(own, admin.share(for: own.publicKey))
    #expect(AdminSecret(in: good, for: own, of: admins)?.key == admin.key)
    #expect(AdminSecret(in: good, for: other, of: admins) == nil)
    #expect(AdminSecret(in: try slot(own, nil), for: own, of: admins) == nil)
    let foreignShare = try slot(own, admin.share(for: other.publicKey))
    #expect(AdminSecret(in: foreignShare, for: own, of: admins) == nil)
    let foreign = AdminSecret()
    let forged = try slot(own, foreign.share(for: own.publicKey))
    #expect(AdminSecret(in: forged, for: own, of: admins) == nil)
    #expect(AdminSecret(in: forged, for: own, of: AdminChain(foreign.key)) == nil)
    // Its successor's, but not its own any more.
    let later = try chain([foreign])
    #expect(AdminSecret(in: forged, for: own, of: later)?.key == foreign.key)
    #expect(AdminSecret(in: good, for: own, of: later) == nil)
    #expect(try !slot(own, nil).isAdmin && good.isAdmin)
  }
}
