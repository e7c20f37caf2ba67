package import VaultModel

/// The options and operands of one command line, which are never printed unparsed.
public struct Arguments: Sendable {
  /// In the order of the command line: for so few, a dictionary's first use takes longer than all
  /// its searches save.
  private var values: [(name: OptionName, value: String)] = []
  /// The words that are no options.
  public private(set) var operands: [String] = []
  /// Whether the command was not named: its operand was taken for an item.
  var isImplied = false

  /// The names of the options that were given.
  var names: [OptionName] { values.map(\.name) }

  /// Returns whether the option was given.
  func has(_ name: OptionName) -> Bool { values.contains { $0.name == name } }

  /// Returns whether an option was given.
  ///
  /// - Parameter name: Its long name without the hyphens, `accept-vault`.
  /// - Returns: Whether it was.
  public func has(_ name: String) -> Bool { values.contains { $0.name.text == name } }

  package func has(_ name: GeneralOption) -> Bool { has(.general(name)) }

  package func has(_ attribute: Attribute) -> Bool { has(.attribute(attribute)) }

  /// Returns the option's value; if it is given twice, the last.
  func text(_ name: OptionName) -> String? { values.last { $0.name == name }?.value }

  package func text(_ name: GeneralOption) -> String? { text(.general(name)) }

  package func text(_ attribute: Attribute) -> String? { text(.attribute(attribute)) }

  /// Returns the values of an option that can be given several times.
  func texts(_ name: OptionName) -> [String] {
    values.filter { $0.name == name }.map(\.value)
  }

  /// Returns the values of an option, by its long name as ``has(_:)`` takes it.
  public func texts(_ name: String) -> [String] {
    values.filter { $0.name.text == name }.map(\.value)
  }

  func texts(_ name: GeneralOption) -> [String] { texts(.general(name)) }

  mutating func add(_ name: OptionName, _ value: String) { values.append((name, value)) }

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
      throw name.refused(error)
    }
  }

  package func parsed<Value>(
    _ name: GeneralOption, as parse: (String) throws(VaultError) -> Value
  ) throws(VaultError) -> Value? {
    try parsed(.general(name), as: parse)
  }

  /// Returns the value that an option sets for an attribute; nil if it was not given.
  func change(_ name: OptionName, of attribute: Attribute) throws(VaultError) -> ItemChange? {
    try parsed(name) { (text) throws(VaultError) in
      ItemChange(attribute, try Values.value(text, of: attribute))
    }
  }

  /// Returns the named custom attributes; an empty text unsets one.
  func custom() throws(VaultError) -> [(name: String, text: String)] {
    let name = OptionName.attribute(.custom)
    var pairs: [(name: String, text: String)] = []
    for text in texts(name) {
      do throws(VaultError) {
        pairs.append(try Values.custom(text))
      } catch {
        throw name.refused(error)
      }
    }
    return pairs
  }
}

extension OptionName {
  /// Returns an error for a value, beginning with the option's name.
  fileprivate func refused(_ error: VaultError) -> VaultError {
    VaultError(error.code, "--\(text): \(error.context)")
  }
}
