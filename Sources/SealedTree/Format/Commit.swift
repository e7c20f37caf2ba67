package import VaultCrypto
package import VaultModel

/// The field of a fleet's head about its own commit: which machine made it, after which one.
///
/// Source: `Documentation/format.md` §7.2.
package struct Commit: Equatable, Sendable {
  static let hashSize = 32
  private static let fixedSize =
    8 + Tag.byteCount + hashSize + MachinePublicKey.byteCount + MachinePublicKey.signatureSize

  /// The generation of the commit before it; 0 if nothing is known of that.
  package var previous: UInt64 = 0
  /// The tag of that one's row; ``Tag/none`` if it has none.
  ///
  /// It is not signed, since a rekey seals the row again.
  var tag = Tag.none
  /// The hash of that commit.
  package var link = [UInt8](repeating: 0, count: hashSize)
  /// The machine that signed; nil if nobody did.
  package var machine: MachinePublicKey?
  package var signature = [UInt8](repeating: 0, count: MachinePublicKey.signatureSize)
  /// The machine's name.
  package var name = ""

  /// Creates a commit of which nothing is known.
  package init() {}

  init(decoding bytes: [UInt8], _ range: Range<Int>) throws(VaultError) {
    guard range.count >= Self.fixedSize, range.count <= Self.fixedSize + Slot.longestName else {
      throw FieldReader.damaged("a commit has the wrong size")
    }
    var position = range.lowerBound
    func take(_ count: Int) -> [UInt8] {
      defer { position += count }
      return Array(bytes[position..<position + count])
    }
    previous = UInt64(littleEndianIn: take(8), at: 0)
    tag = Tag(take(Tag.byteCount), at: 0)
    link = take(Self.hashSize)
    let keys = take(MachinePublicKey.byteCount)
    signature = take(MachinePublicKey.signatureSize)
    name = try bytes.text(in: position..<range.upperBound)
    let isUnsigned = keys.allSatisfy { $0 == 0 }
    machine = isUnsigned ? nil : MachinePublicKey(keys[...])
    guard previous < SealedNumber.end,
      previous > 0 || tag == .none && link.allSatisfy({ $0 == 0 }),
      !isUnsigned || name.isEmpty && signature.allSatisfy({ $0 == 0 })
    else { throw FieldReader.damaged("a commit says more than it can") }
  }

  /// Sets the tag of the row before, which was sealed again.
  package mutating func relink(to tag: Tag) { self.tag = tag }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    previous.appendLittleEndian(to: &bytes)
    tag.append(to: &bytes)
    bytes += link
    bytes += machine?.bytes ?? [UInt8](repeating: 0, count: MachinePublicKey.byteCount)
    return bytes + signature + Array(name.utf8)
  }
}

/// A commit with what is signed of its head; the row that later heads lead to.
package struct PastCommit: Equatable, Sendable {
  /// The number of generations whose commits a vault keeps.
  package static let keptCount: UInt64 = 4096
  private static let fixedSize = 16 + Commit.hashSize

  package let generation: UInt64
  package let time: Timestamp
  /// The hash of the head without its commit.
  let content: [UInt8]
  package var commit: Commit

  /// Creates the commit of a head.
  package init(of head: Head) {
    generation = head.generation
    time = head.committed
    commit = head.commit ?? Commit()
    var bare = head
    bare.commit = nil
    // Not the seal's tag: whoever has the key can make two heads with one tag.
    content = Hash.hash(bare.encoded, count: Commit.hashSize)
  }

  package init(decoding bytes: [UInt8]) throws(VaultError) {
    guard bytes.count >= Self.fixedSize else { throw FieldReader.damaged("a commit is too short") }
    generation = UInt64(littleEndianIn: bytes, at: 0)
    time = Timestamp(milliseconds: Int64(littleEndianIn: bytes, at: 8))
    content = Array(bytes[16..<Self.fixedSize])
    commit = try Commit(decoding: bytes, Self.fixedSize..<bytes.count)
    guard (1..<SealedNumber.end).contains(generation), commit.previous < generation,
      time.milliseconds != 0, time <= SealedNumber.lastMoment
    else { throw FieldReader.damaged("a commit's numbers are out of bounds") }
  }

  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    generation.appendLittleEndian(to: &bytes)
    // As the head writes it.
    let milliseconds = time.milliseconds == 0 ? 1 : time.milliseconds
    milliseconds.appendLittleEndian(to: &bytes)
    return bytes + content + commit.encoded
  }

  // MARK: Signing

  /// Returns what a machine signs.
  private func statement(of vault: VaultID) -> [UInt8] {
    var bytes = Array("vltcmit1".utf8) + vault.bytes
    // Without the tag of the row before.
    let fields = encoded
    bytes += fields[..<(Self.fixedSize + 8)]
    bytes += commit.link
    bytes += commit.machine?.bytes ?? [UInt8](repeating: 0, count: MachinePublicKey.byteCount)
    return bytes + Array(commit.name.utf8)
  }

  /// Returns the hash by which the next commit names this one, and with it all before.
  package func hash(of vault: VaultID) -> [UInt8] {
    Hash.hash(statement(of: vault) + commit.signature, count: Commit.hashSize)
  }

  /// Returns whether its machine signed it; false without one.
  package func isSigned(of vault: VaultID) -> Bool {
    commit.machine?.isSigned(statement(of: vault), commit.signature) ?? false
  }

  mutating func sign(of vault: VaultID, by signer: CommitSigner) {
    (commit.machine, commit.name) = (signer.key.publicKey, signer.name)
    commit.signature = signer.key.sign(statement(of: vault))
  }
}

/// The machine that signs this program's commits.
package struct CommitSigner: Sendable {
  package let key: MachineKey
  package let name: String

  package init(_ key: MachineKey, name: String) {
    (self.key, self.name) = (key, name)
  }

  /// Creates the signer whose key opened a slot; nil for other keys.
  package init?(_ key: UnlockKey, of slot: Slot) {
    guard case .machine(let machine) = key, slot.machine?.publicKey == machine.publicKey else {
      return nil
    }
    self.init(machine, name: slot.name)
  }
}
