import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// The items that both sides store: two on each host of 26 characters, added in random order.
struct Sample {
  static let realm = "Team Git"
  static let path = "/team/repository"
  static let port: UInt16 = 443

  let number: Int

  var server: String { "git-\(Self.padded(number / 2)).int.example.com" }
  var account: String { "user\(Self.padded(number))" }
  var label: String { "Git of team \(Self.padded(number / 2))" }
  /// 20 bytes.
  var secret: String { "pw-\(Self.padded(number))-0123456789" }

  func item() throws(VaultError) -> Item {
    var item = Item(
      server: try HostName(server), account: account, secret: Secret(secret), protocol: .https,
      port: Self.port, realm: Self.realm, path: Self.path, authenticationMethod: .basic)
    item.label = label
    return item
  }

  func space() throws(VaultError) -> ProtectionSpace {
    try ProtectionSpace(host: server, realm: Self.realm, authenticationMethod: .basic)
  }

  /// Returns a query for this very item as an application that knows the user makes it.
  static func query(_ space: ProtectionSpace, _ account: String) -> ItemQuery {
    var query = ItemQuery(space)
    query.account = .equals(account)
    return query
  }

  /// Numbers in a random order that is the same in each run.
  static func shuffled(_ numbers: Range<Int>, seed: UInt64 = 7) -> [Sample] {
    var generator = SplitMix(state: seed)
    return numbers.shuffled(using: &generator).map(Sample.init)
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}

/// A small generator with a seed, so that both sides and all runs see one order.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension Sample {
  /// Returns 20 bytes that were not there before: changing an item to what it is writes nothing.
  static func freshSecretText() -> String {
    let digits = String(UInt64.random(in: .min ... .max))
    return "x" + String(repeating: "0", count: 20 - 1 - min(19, digits.utf8.count))
      + digits.prefix(19)
  }

  static func freshSecret() -> Secret {
    Secret(freshSecretText())
  }
}
