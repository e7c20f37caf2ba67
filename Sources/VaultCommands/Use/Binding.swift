import VaultModel

/// The destination of a secret for `exec`: a variable, a descriptor, or a file that a variable
/// names.
struct Binding: Sendable {
  enum Place: Hashable, Sendable {
    case variable(String)
    case descriptor(Int32)
    case file(String)
  }

  let place: Place
  let reference: SecretReference

  /// The option that made it, for messages: `--env NAME`.
  var option: String {
    switch place {
    case .variable(let name): "--env \(name)"
    case .descriptor(let number): "--fd \(number)"
    case .file(let name): "--file \(name)"
    }
  }

  /// Reads `--env`, `--fd` and `--file`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a value without `=`, a name that no shell
  ///   could use, a descriptor of an output, and a place that is named twice.
  static func all(_ arguments: Arguments) throws(VaultError) -> [Binding] {
    var bindings: [Binding] = []
    for text in arguments.texts(.env) {
      let (name, reference) = try parts(of: text, "--env: NAME=REF")
      bindings.append(Binding(place: .variable(try variable(name, "--env")), reference: reference))
    }
    for text in arguments.texts(.file) {
      let (name, reference) = try parts(of: text, "--file: NAME=REF")
      bindings.append(Binding(place: .file(try variable(name, "--file")), reference: reference))
    }
    for text in arguments.texts(.fd) {
      let (number, reference) = try parts(of: text, "--fd: N=REF")
      bindings.append(Binding(place: .descriptor(try descriptor(number)), reference: reference))
    }
    let names = bindings.compactMap(\.name)
    let numbers = bindings.compactMap(\.number)
    guard Set(names).count == names.count, Set(numbers).count == numbers.count else {
      throw VaultError(.invalidArgument, "a variable or descriptor is named twice")
    }
    return bindings
  }

  /// The variable that it sets.
  var name: String? {
    switch place {
    case .variable(let name), .file(let name): name
    case .descriptor: nil
    }
  }

  /// The descriptor that it opens.
  var number: Int32? {
    if case .descriptor(let number) = place { number } else { nil }
  }

  private static func parts(
    of text: String, _ form: String
  ) throws(VaultError) -> (String, SecretReference) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw VaultError(.invalidArgument, form)
    }
    return (String(text[..<sign]), SecretReference(String(text[text.index(after: sign)...])))
  }

  private static func variable(_ name: String, _ option: String) throws(VaultError) -> String {
    guard isName(name) else {
      throw VaultError(
        .invalidArgument, "\(option): a variable's name has letters, digits and underscores")
    }
    return name
  }

  /// Returns whether a shell could use a variable of this name.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"):
          true
        default: index > 0 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
      }
  }

  private static func descriptor(_ text: String) throws(VaultError) -> Int32 {
    guard let number = Int32(text), number == 0 || (3...1000).contains(number) else {
      throw VaultError(.invalidArgument, "--fd: a descriptor to read is 0 or 3 to 1000")
    }
    return number
  }
}
