/// The version of a vault file's format.
public struct FormatVersion: Hashable, Sendable, CustomStringConvertible {
  /// A program that knows only lower ones refuses the file.
  public let major: UInt16
  /// A program that knows only lower ones reads the file.
  public let minor: UInt16
  /// How many migration steps made its tables.
  public let schema: UInt32

  package init(major: UInt16, minor: UInt16, schema: UInt32) {
    self.major = major
    self.minor = minor
    self.schema = schema
  }

  /// For people: `1.0, schema 1`.
  public var description: String { "\(major).\(minor), schema \(schema)" }
}
