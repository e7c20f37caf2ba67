import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// The sources from which a command takes an item's secret; an argument is not one of them.
enum SecretSource {
  case terminal
  case descriptor(Int32)
  case file(String, GeneralOption)
  case generated(GeneratedSecret)

  /// Creates the one source that the arguments name, nil if they name none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for two sources, or a number that is none.
  init?(_ arguments: Arguments) throws(VaultError) {
    var sources: [SecretSource] = []
    if arguments.has(.passwordPrompt) { sources.append(.terminal) }
    if arguments.has(.passwordStdin) { sources.append(.descriptor(STDIN_FILENO)) }
    if let number = try arguments.parsed(.passwordFD, as: Values.descriptor) {
      sources.append(.descriptor(number))
    }
    if let path = arguments.text(.passwordFile) { sources.append(.file(path, .passwordFile)) }
    if let form = try arguments.parsed(.generate, as: GeneratedSecret.init(specification:)) {
      sources.append(.generated(form))
    }
    guard sources.count <= 1 else {
      throw VaultError(.invalidArgument, "more than one source for the secret")
    }
    guard let source = sources.first else { return nil }
    try source.requireOwnDescriptor(arguments)
    self = source
  }

  func requireOwnDescriptor(_ arguments: Arguments) throws(VaultError) {
    guard case .descriptor(let number) = self,
      try arguments.parsed(.passphraseFD, as: Values.descriptor) == number
    else { return }
    throw VaultError(
      .invalidArgument, "the passphrase and the secret cannot come from one descriptor")
  }

  /// Reads the secret.
  ///
  /// - Parameters:
  ///   - prompt: The prompt on the terminal.
  ///   - invocation: Determines whether the user may be prompted, whether a line end is kept, and
  ///     whether the secret may be empty.
  /// - Returns: The secret, without the line end that is not part of it.
  /// - Throws: ``VaultError/Code/missingInput`` if the source is not there or nobody can be asked;
  ///   ``VaultError/Code/invalidArgument`` if it would show on the terminal;
  ///   ``VaultError/Code/invalidData`` if it is empty without being allowed to be: the program that
  ///   writes it may have failed.
  func read(prompt: String, _ invocation: Invocation) throws(VaultError) -> Secret {
    let secret = try readAny(prompt: prompt, invocation)
    guard secret.count > 0 || invocation.arguments.has(.allowEmpty) else {
      throw VaultError(.invalidData, "the secret is empty (--allow-empty stores it anyway)")
    }
    return secret
  }

  /// Reads a secret that may be empty.
  ///
  /// - Throws: As ``read(prompt:_:)``.
  func readAny(prompt: String, _ invocation: Invocation) throws(VaultError) -> Secret {
    switch self {
    case .terminal:
      guard invocation.mayPrompt, let terminal = Terminal() else {
        throw VaultError(
          .missingInput,
          "there is no terminal to ask for the secret on (give it with --password-stdin)")
      }
      return try terminal.newSecret(
        prompt: prompt, mayBeEmpty: invocation.arguments.has(.allowEmpty))
    case .descriptor(let number):
      guard isatty(number) != 1 else {
        throw VaultError(
          .invalidArgument, "the secret would show on the terminal (-w prompts without showing it)")
      }
      return try read(from: number, invocation)
    case .file(let path, let option):
      // The path is copied into a string that ends with NUL for the call.
      let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard number >= 0 else {
        throw VaultError(.missingInput, "--\(option.rawValue)", underlying: .errno(errno))
      }
      defer { close(number) }
      return try read(from: number, invocation)
    case .generated(let form):
      return form.make()
    }
  }

  private func read(from number: Int32, _ invocation: Invocation) throws(VaultError) -> Secret {
    let input = try SecretInput.readAll(from: number)
    // A keytab is no text, and may end with the byte of a line feed.
    let isWhole =
      invocation.arguments.has(.keepNewline) || invocation.arguments.text(.secretKind) == "keytab"
    return isWhole ? input : SecretInput.withoutLineEnd(input)
  }
}
