import OneTimePasswords
import SecureMemory
import VaultModel
import VaultTerminal

/// The sources from which a command takes secrets beside an item's own.
struct FurtherSecrets {
  private typealias Place = (
    attribute: Attribute, prompt: GeneralOption?, descriptor: GeneralOption, file: GeneralOption
  )
  private static let places: [Place] = [
    (.refreshToken, nil, .refreshTokenFD, .refreshTokenFile),
    (.oneTimePasswordKey, .totp, .totpFD, .totpFile),
  ]

  private var sources: [(attribute: Attribute, source: SecretSource)] = []

  var isEmpty: Bool { sources.isEmpty }

  /// Creates the sources that the arguments name.
  ///
  /// - Parameters:
  ///   - arguments: The options.
  ///   - secret: The source of the item's own secret.
  /// - Throws: ``VaultError/Code/invalidArgument`` for two sources of one, two secrets from one
  ///   descriptor, or a number that is none.
  init(_ arguments: Arguments, beside secret: SecretSource?) throws(VaultError) {
    var taken: [Int32] = []
    if case .descriptor(let number) = secret { taken.append(number) }
    for place in Self.places {
      var found: [SecretSource] = []
      if let prompt = place.prompt, arguments.has(prompt) { found.append(.terminal) }
      if let path = arguments.text(place.file) { found.append(.file(path, place.file)) }
      if let number = try arguments.parsed(place.descriptor, as: Values.descriptor) {
        found.append(.descriptor(number))
        guard !taken.contains(number) else {
          throw VaultError(
            .invalidArgument,
            "the \(place.attribute.name) and another secret cannot come from one descriptor")
        }
        taken.append(number)
      }
      guard found.count <= 1 else {
        throw VaultError(
          .invalidArgument, "more than one source for the \(place.attribute.name)")
      }
      guard let source = found.first else { continue }
      try source.requireOwnDescriptor(arguments)
      sources.append((place.attribute, source))
    }
  }

  /// Reads the secrets, and returns the changes that set them; an empty one removes what is stored.
  ///
  /// - Throws: As ``SecretSource/read(prompt:_:)``; ``VaultError/Code/invalidData`` or
  ///   ``VaultError/Code/unsupported`` for a key that gives no one-time passwords.
  func read(_ invocation: Invocation) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    for (attribute, source) in sources {
      let secret =
        if case .terminal = source {
          try Self.ask(invocation)
        } else {
          try source.readAny(prompt: "", invocation)
        }
      guard secret.count > 0 || invocation.arguments.has(.allowEmpty) else {
        throw VaultError(
          .invalidData,
          "the \(attribute.name) is empty (--allow-empty removes the one that is there)")
      }
      if attribute == .oneTimePasswordKey, secret.count > 0 {
        _ = try OneTimePassword(reading: secret)
      }
      changes.append(ItemChange(attribute, .secret(secret)))
    }
    return changes
  }

  /// Prompts for the key of one-time passwords, once, because it is pasted.
  private static func ask(_ invocation: Invocation) throws(VaultError) -> Secret {
    guard invocation.mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput, "there is no terminal to ask for the key on (give it with --totp-fd)")
    }
    return try terminal.secret(prompt: "Key of the one-time passwords: ")
  }
}
