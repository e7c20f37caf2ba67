public import VaultModel

/// An export that `vaultctl import` reads, written item by item in bounded memory.
///
/// A program that knows another program's items passes them on with it.
///
/// Source: `Documentation/schemas/export.json`.
public struct ItemExport: ~Copyable {
  private var writer: ExportWriter
  private var leftOut: [(title: String, reason: String)] = []

  /// Begins an export.
  ///
  /// - Parameter write: Writes bytes, all of them; they hold secrets, and are valid during the
  ///   call.
  /// - Throws: Any error of `write`, as all functions here.
  public init(
    _ write: @escaping (RawSpan) throws(VaultError) -> Void
  ) throws(VaultError) {
    writer = ExportWriter(ByteSink(write))
    try writer.begin()
  }

  /// Writes an item with its secret; one without any is left out.
  public mutating func add(_ item: Item) throws(VaultError) {
    if case .leftOut(let reason) = try writer.write(item, isDefault: false, previous: []) {
      leaveOut(item.label, because: reason.rawValue)
    }
  }

  /// Names what is not in the export, so that an import tells it.
  ///
  /// - Parameters:
  ///   - title: The item as people call it.
  ///   - reason: The reason, in words and without a secret.
  public mutating func leaveOut(_ title: String, because reason: String) {
    leftOut.append((title, reason))
  }

  /// Writes the rest.
  public consuming func end() throws(VaultError) {
    try writer.write(leftOut: leftOut)
    try writer.end()
  }
}

// It is written by one task.
@available(*, unavailable)
extension ItemExport: Sendable {}
