import VaultModel

/// The version of a vault file's format.
public struct FormatVersion: Hashable, Sendable, CustomStringConvertible {
  /// The major version; a program that knows only lower ones refuses the file.
  public let major: UInt16
  /// The minor version; a program that knows only lower ones reads the file.
  public let minor: UInt16
  /// The number of migration steps that made its tables.
  public let schema: UInt32

  package init(major: UInt16, minor: UInt16, schema: UInt32) {
    self.major = major
    self.minor = minor
    self.schema = schema
  }

  /// The version for people: `1.0, schema 1`.
  public var description: String { "\(major).\(minor), schema \(schema)" }
}
