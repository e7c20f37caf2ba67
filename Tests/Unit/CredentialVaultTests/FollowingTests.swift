import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: following the events")
struct FollowingTests {
  /// Tracks the items by events alone.
  private final class Follower: Sendable {
    private let known = Lock<[ItemID: Persistence]>([:])
    /// Events that are impossible after those before them.
    private let odd = Lock<[VaultEvent]>([])

    var items: [ItemID: Persistence] { known.withLock { $0 } }
    var oddities: [VaultEvent] { odd.withLock { $0 } }

    func hear(_ event: VaultEvent) {
      let isOdd = known.withLock { known in
        switch event {
        case .added(let subject):
          return known.updateValue(subject.persistence, forKey: subject.id) != nil
        case .modified(let subject): return known[subject.id] != subject.persistence
        case .moved(let subject, let place):
          return known.updateValue(subject.persistence, forKey: subject.id) != place
        case .removed(let subject):
          return known.removeValue(forKey: subject.id) != subject.persistence
        case .locked:
          known = known.filter { $0.value == .permanent }
          return false
        case .defaultChanged, .policyChanged, .unlocked: return false
        case .changedElsewhere: return true
        }
      }
      if isOdd { odd.withLock { $0.append(event) } }
    }
  }

  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func items() throws -> [ItemID: Persistence] {
    let temporary = try vault.findAll(ItemQuery()).filter { $0.persistence == .session }
    let permanent = try vault.write { (transaction) throws(VaultError) in
      try transaction.findAll(ItemQuery())
    }
    return Dictionary(
      (temporary + permanent).map { ($0.id, $0.persistence) }, uniquingKeysWith: { _, _ in .none })
  }

  @Test(
    "whoever follows the events knows which items there are, and where",
    arguments: 1...6 as ClosedRange<UInt64>)
  func following(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let follower = Follower()
    let observation = vault.events.observe { follower.hear($0) }
    var succeeded: Set<Int> = []
    for _ in 0..<120 {
      let number = Int.random(in: 0..<9, using: &random)
      do throws(VaultError) {
        try change(number, &random)
        succeeded.insert(number)
      } catch {
        let expected: Set<VaultError.Code> = [.itemNotFound, .duplicateItem, .conflict]
        #expect(expected.contains(error.code), "\(number): \(error)")
      }
      try #require(try items() == follower.items, "after \(number)")
      try #require(follower.oddities == [], "after \(number)")
    }
    #expect(succeeded.count > 5)
    observation.cancel()
  }

  /// Makes one of several kinds of changes; the last one fails after many changes.
  private func change(_ number: Int, _ random: inout SplitMix) throws(VaultError) {
    let hosts = ["a", "b", "c"].map { "\($0).example.com" }
    let host = hosts.randomElement(using: &random) ?? ""
    let user = ["ann", "bob"].randomElement(using: &random) ?? ""
    let place: Persistence = Bool.random(using: &random) ? .session : .permanent
    let path = ["", "/x"].randomElement(using: &random) ?? ""
    let secret = Secret("\(random.next())")
    let space = try ProtectionSpace(host: host, realm: "", authenticationMethod: .basic)
    var item = Item(space: space, account: user, secret: secret)
    item.path = path
    let known = try vault.findAll(ItemQuery()).randomElement(using: &random)
    switch number {
    case 0:
      try vault.setDefaultCredential(
        Credential(user: user, secret: secret, persistence: place), for: space)
    case 1: try vault.add(item, persistence: place)
    case 2: try vault.move(user: user, for: space, to: place)
    case 3: if let known { try vault.modify(known, [.secret(secret), .path(path)]) }
    case 4: if Bool.random(using: &random), let known { try vault.remove(known) }
    case 5: try vault.remove(user: user, for: space)
    case 6:
      let limit = Persistence.allCases.randomElement(using: &random) ?? .none
      try vault.policy.change { (rules) throws(VaultError) in
        var rule = PersistencePolicy.Rule(name: "limit")
        rule.host = try HostPattern("a.example.com")
        rule.maximumPersistence = limit
        rules = [rule]
      }
      try vault.policy.apply()
    case 7:
      try vault.lock()
      try vault.unlock(with: fixture.key)
    default:
      try vault.writing { (transaction) throws(VaultError) in
        for old in try transaction.findAll(ItemQuery()) { try transaction.remove(old) }
        try transaction.add(item)
        throw VaultError(.conflict, "thrown by the body")
      }
    }
  }
}
