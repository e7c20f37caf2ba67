import BusMessages
import CredentialVault
import FuzzTesting
import SecureMemory
import VaultModel

@testable import SecretService

/// The answers of another program's Secret Service.
extension FuzzTarget {
  /// Answers one after the other, each a byte that says of which form it is, and its content.
  ///
  /// Every item that comes of them is one that a vault takes, or is too large for it, and programs
  /// find it by the attributes that the service gave.
  static let otherService = FuzzTarget(name: "other-service") { bytes in
    var answers = Answers(bytes)
    var items: [Item] = []
    let leftOut = try reading(refusing: .unavailable, .inputOutput) { () throws(VaultError) in
      try OtherService { (call) throws(VaultError) in try answers.answer(call) }
        .forEachItem { (item) throws(VaultError) in items.append(item) }
    }
    let read = items.filter { $0.secret != nil }
    try require(read.count <= answers.sets.count, "more items than the service gave")
    for item in read {
      try require(
        answers.sets.contains { item.matches($0) && item.attributes.hasSameBytes(as: $0) },
        "not the attributes that the service gave")
      let isStored: Void? = try reading(refusing: .tooLarge, .invalidArgument, .invalidData) {
        () throws(VaultError) in _ = try Vault.inMemory().add(item, persistence: .session)
      }
      if isStored != nil { try require(item.isOffered, "an item that no program finds") }
    }
    try require(Set(items.map(\.key)).count == items.count, "two items of one key")
    return leftOut == nil || read.isEmpty ? .refused : .read
  }

  /// A service that says what the input says.
  private struct Answers {
    private var input: Input
    /// The sets of attributes that were given.
    private(set) var sets: [[String: String]] = []

    init(_ bytes: [UInt8]) { input = Input(bytes) }

    mutating func answer(_ call: BusCall) throws(VaultError) -> [BusValue] {
      switch input.byte() {
      case 0xFD: throw VaultError(.inputOutput, "the service does not answer")
      case 0xFE: return []
      case 0xFF: return [value()]
      default: break
      }
      switch call.member {
      case "OpenSession": return [.variant(.text("")), .path("/session")]
      case "ReadAlias": return [.path("/c\(input.byte() % 4)")]
      case "GetSecret":
        return [
          .structure([
            .path("/session"), .bytes(Secret("")), .bytes(Secret(copying: content().span)),
            .text(content().text),
          ])
        ]
      case "Get": return [.variant(property(call.arguments.last?.text ?? "", of: call.path))]
      default: return []
      }
    }

    private mutating func property(_ name: String, of path: String) -> BusValue {
      switch name {
      case "Collections": return paths("")
      case "Items": return paths(path)
      case "Locked": return .flag(input.byte() == 1)
      case "Attributes":
        var set: [String: String] = [:]
        for _ in 0..<(input.byte() % 8) { set[content().text] = content().text }
        // The service refuses its own names.
        for name in set.keys where name.hasPrefix(AttributeMapping.ownPrefix) { set[name] = nil }
        sets.append(set)
        return .texts(set)
      case "Created", "Modified": return .number(input.number(8))
      default: return .text(content().text)
      }
    }

    private mutating func paths(_ folder: String) -> BusValue {
      .paths((0..<(input.byte() % 4)).map { "\(folder)/c\($0)" })
    }

    private mutating func content() -> [UInt8] { input.bytes(Int(input.byte())) }

    /// Returns a value of any form.
    private mutating func value() -> BusValue {
      switch input.byte() % 8 {
      case 0: .text(content().text)
      case 1: .path(content().text)
      case 2: .flag(true)
      case 3: .number(input.number(8))
      case 4: .bytes(Secret(copying: content().span))
      case 5: .structure([])
      case 6: .variant(.structure([.text(content().text)]))
      default: .variant(.texts([:]))
      }
    }
  }
}
