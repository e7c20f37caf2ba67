import VaultFile
import VaultModel

/// The name of a backup in a folder: `default-20260131T235959Z.vault`.
struct BackupName: Comparable {
  private static let suffix = ".vault"
  /// The part before the time.
  private let stem: String
  private let time: String
  /// 1, or more for another backup of the same second.
  private let number: Int

  init(of vault: VaultPath, at time: Timestamp, number: Int = 1) {
    stem = Self.stem(of: vault)
    self.time = time.compact
    self.number = number
  }

  /// Parses a name; nil unless it is the name of a backup of this vault.
  init?(_ name: String, of vault: VaultPath) {
    stem = Self.stem(of: vault)
    guard name.hasPrefix(stem + "-"), name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropFirst(stem.count + 1).dropLast(Self.suffix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    let digits = parts.count == 2 ? parts[1] : "1"
    guard let time = parts.first, (1...2).contains(parts.count), Self.isTime(time),
      let number = Int(digits), number > 0
    else { return nil }
    self.time = String(time)
    self.number = number
    guard text == name else { return nil }
  }

  var text: String {
    "\(stem)-\(time)" + (number == 1 ? "" : "-\(number)") + Self.suffix
  }

  static func < (left: BackupName, right: BackupName) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }

  private static func stem(of vault: VaultPath) -> String {
    let name = vault.name
    return name.hasSuffix(suffix) && name != suffix ? String(name.dropLast(suffix.count)) : name
  }

  /// Returns whether a text has the form `20260131T235959Z`.
  private static func isTime(_ text: Substring) -> Bool {
    text.utf8.count == 16
      && zip(text.utf8, "00000000T000000Z".utf8).allSatisfy { byte, model in
        model == UInt8(ascii: "0")
          ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == model
      }
  }
}
