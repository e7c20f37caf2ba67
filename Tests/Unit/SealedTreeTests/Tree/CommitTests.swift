import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

@Suite("Commits")
struct CommitTests {
  @Test("rows of commits are judged as their vectors say", arguments: try Vector.all("commit"))
  func vector(_ vector: Vector) throws {
    try vector.requireKeys(["vault-id"], results: ["hash", "signed"])
    let vault = try #require(VaultID(vector.bytes("vault-id")[...]))
    let found = try vector.judge { () throws(VaultError) in
      let commit = try PastCommit(decoding: vector.body)
      guard commit.commit.machine == nil || commit.isSigned(of: vault) else {
        throw VaultError(.damaged, "not signed")
      }
      return commit
    }
    guard let found else { return }
    #expect(found.encoded == vector.body)
    #expect(try found.hash(of: vault) == vector.bytes("hash"))
    #expect(try vector.number("signed") == (found.commit.machine == nil ? 0 : 1))
  }

  @Test("a signature is of one vault, and every byte of a commit but its row's tag is signed")
  func statement() throws {
    let (vault, machine) = (VaultID(), MachineKey(joining: AdminSecret().key))
    var ident = Ident(vaultID: vault, epoch: 1)
    ident.features = Ident.arbitrated
    var head = Head(ident: ident, slots: [UInt8](repeating: 7, count: 32))
    head.generation = 9
    head.commit = Commit()
    head.commit?.previous = 8
    head.commit?.tag = Tag(low: 1, high: 2)
    var commit = PastCommit(of: head)
    commit.sign(of: vault, by: CommitSigner(machine, name: "build"))
    #expect(commit.isSigned(of: vault) && !commit.isSigned(of: VaultID()))
    let (bytes, hash) = (commit.encoded, commit.hash(of: vault))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      guard let read = try? PastCommit(decoding: changed) else { continue }
      let isTag = (56..<72).contains(index)
      #expect(read.isSigned(of: vault) == isTag, "\(index)")
      #expect((read.hash(of: vault) == hash) == isTag, "\(index)")
    }
    // Also the rest of the head.
    for change in [\Head.itemCount, \.nextLargeSecret, \.generation] {
      var other = head
      other[keyPath: change] += 1
      #expect(PastCommit(of: other).hash(of: vault) != PastCommit(of: head).hash(of: vault))
    }
  }

  /// A vault without items: its head, and the rows of its commits.
  private struct CommitHistory {
    let keys: EpochKeys
    let rows = MemoryRows()
    var head: Head

    init() {
      var ident = Ident(vaultID: VaultID(), epoch: 1)
      ident.features = Ident.arbitrated
      keys = EpochKeys(vaultKey: [UInt8](repeating: 5, count: 32), ident: ident)
      head = Head(ident: ident, slots: [UInt8](repeating: 7, count: 32))
      head.generation = 1
    }

    mutating func commit(skipping count: UInt64 = 0) throws {
      let stored = head
      head.generation += 1 + count
      try head.complete(after: stored, signedBy: nil, sealing: keys, to: rows)
    }

    var commits: [PastCommit] {
      get throws {
        try TreeReader(
          keys: keys, root: head.directory, rows: rows, clock: VaultClock(),
          beforeReading: { () throws(VaultError) in }
        ).commits(before: head)
      }
    }

    /// Whether the rows are those of the kept commits, and no others.
    var isWhole: Bool {
      get throws {
        try Set(commits.map { NodeID.commit($0.generation) }) == Set(rows.rows.keys)
      }
    }
  }

  @Test("a vault keeps 4096 commits, and the row of each newer one replaces an older one")
  func kept() throws {
    var history = CommitHistory()
    for number in 1...9000 {
      try history.commit()
      guard [1, 2, 4095, 4096, 4097, 4098, 8192, 9000].contains(number) else { continue }
      #expect(try history.commits.count == min(number, 4096), "\(number)")
      #expect(try history.isWhole, "\(number)")
    }
    let commits = try history.commits
    #expect(commits.map(\.generation) == (4905...9000).reversed())
    for (commit, before) in zip(commits, commits.dropFirst()) {
      #expect(commit.commit.link == before.hash(of: history.keys.ident.vaultID))
    }
  }

  @Test(
    "generations that a merge skips have no commits, nor the rows of those before",
    arguments: [1, 100, 4094, 4095, 4096, 10_000] as [UInt64])
  func skipped(_ count: UInt64) throws {
    var history = CommitHistory()
    for _ in 0..<5000 { try history.commit() }
    try history.commit(skipping: count)
    #expect(try history.commits.count == Int(count < 4096 ? 4096 - count : 0))
    #expect(try history.isWhole)
    #expect(history.head.commit?.previous == 5001)
    for _ in 0..<50 { try history.commit() }
    #expect(try history.isWhole)
    var head = history.head
    head.recordKey = [UInt8](repeating: 8, count: RecordKey.sealedByteCount)
    head.committed = Timestamp(milliseconds: 1)
    #expect(try Head(decoding: head.encoded) == head)
  }

  @Test("a row that says another generation than its successor is damage")
  func otherGeneration() throws {
    var history = CommitHistory()
    for _ in 0..<9 { try history.commit() }
    var other = history.head
    (other.generation, other.commit) = (7, Commit())
    let id = NodeID.commit(9)
    let sealed = history.keys.seal(PastCommit(of: other).encoded, as: .commit, id: id)
    history.rows.rows[id] = sealed
    history.head.commit?.tag = Tag(ofSealed: sealed)
    #expect(throws: VaultError(.damaged, "")) { try history.commits }
  }
}
