import VaultModel

/// The options and operands of one command line, which are never printed unparsed.
struct Arguments: Sendable {
  private(set) var values: [OptionName: [String]] = [:]
  private(set) var operands: [String] = []

  /// Returns whether the option was given.
  func has(_ name: OptionName) -> Bool { values[name] != nil }

  /// Returns the option's value; if it is given twice, the last.
  func text(_ name: OptionName) -> String? { values[name]?.last }

  /// Returns the values of an option that can be given several times.
  func texts(_ name: OptionName) -> [String] { values[name] ?? [] }

  mutating func add(_ name: OptionName, _ value: String) { values[name, default: []].append(value) }

  mutating func append(operand: String) { operands.append(operand) }

  mutating func removeFirstOperand() -> String? {
    operands.isEmpty ? nil : operands.removeFirst()
  }

  /// Returns the parsed value; an error's text begins with the option's name.
  func parsed<Value>(
    _ name: OptionName, as parse: (String) throws(VaultError) -> Value
  ) throws(VaultError) -> Value? {
    guard let text = text(name) else { return nil }
    do throws(VaultError) {
      return try parse(text)
    } catch {
      throw VaultError(error.code, "--\(name.rawValue): \(error.context)")
    }
  }
}
