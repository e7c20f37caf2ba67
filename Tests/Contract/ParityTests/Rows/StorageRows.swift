import TestSupport
import VaultModel

/// The content of the file.
enum StorageRows {
  static let rows: [Row] = [
    Row(
      "storage.attributes", .storage,
      "Attributes are in clear and unauthenticated.",
      by: .any(attributes),
      vault: .differs("They are sealed.", "nothing in clear"),
      compatible: .differs("They are sealed.", "nothing in clear"),
      why: "Servers are private.",
      except: [.session: inMemory]),
    Row(
      "storage.index", .storage,
      "An index has unsalted SHA-1 sums of attributes.",
      by: .any(index), vault: .differs("A keyed hash.", "no sum"),
      compatible: .differs("A keyed hash.", "no sum"),
      why: "Servers can be guessed.", except: [.session: inMemory]),
    Row(
      "storage.dates", .storage, "Dates are seconds, some of local time.",
      by: .swift(dates), .native(datesInC), .keychain(KeychainCopying.date),
      vault: .differs("Milliseconds, UTC.", "123"),
      compatible: .differs("Milliseconds, UTC.", "same"),
      why: "UTC never goes back."),
  ]

  private static let inMemory = "no part of it is in a file"

  private static let texts = ["git.example.com", "Team Git", "/repository", "of Ann", "secret one"]

  static func attributes(_ driver: any Driver) throws -> String {
    try driver.add(.ann.with(.path, "/repository").with(.comment, "of Ann"), secret: "secret one")
    let file = try driver.place.copy()
    let found = texts.filter { file.contains(Array($0.utf8)) }
    return found.isEmpty ? "nothing in clear" : found.joined(separator: ", ")
  }

  static func index(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    // SHA-1 of `ann` and of `git.example.com`.
    let sums: [[UInt8]] = [
      [
        0x74, 0x4C, 0xB9, 0xA9, 0xFB, 0x3D, 0x55, 0x83, 0x74, 0x4E, 0xA3, 0xEC, 0xE9, 0xB4, 0xD8,
        0x19, 0xD9, 0x0B, 0xDE, 0xE2,
      ],
      [
        0xFC, 0x72, 0xB6, 0xA3, 0x6C, 0x4C, 0x25, 0x9B, 0x3F, 0xF8, 0xC7, 0x20, 0xC5, 0x45, 0x31,
        0xCD, 0xDE, 0x0C, 0x3E, 0xAE,
      ],
    ]
    let file = try driver.place.copy()
    return sums.contains(where: file.contains) ? "a sum" : "no sum"
  }

  static func dates(_ driver: SwiftDriver) throws -> String {
    driver.place.setMilliseconds(to: 123)
    return "\(try driver.now(driver.add(.ann)).created.milliseconds % 1000)"
  }

  static func datesInC(_ driver: NativeDriver) throws -> String {
    driver.place.setMilliseconds(to: 123)
    return String(try driver.read(.created, of: driver.add(.ann)).suffix(3))
  }
}
