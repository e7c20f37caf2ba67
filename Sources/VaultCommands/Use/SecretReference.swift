import CredentialVault
import SecureMemory
import VaultModel

/// A text of an item, or its secret, as `exec` and `inject` name it.
struct SecretReference: Hashable, Sendable {
  /// The item, as in other commands' operand.
  let item: String
  /// The name of the field in JSON documents.
  let field: String

  /// The fields that an item has, by their names in JSON documents: its secrets, and what options
  /// set as text.
  static let fields: [String] = {
    let others = Attribute.all.filter { attribute in
      switch attribute.form {
      case .text, .host, .networkProtocol, .method, .port: true
      case .data: attribute.option != nil
      case .secret, .code, .flag, .secretKind, .time, .moment, .id, .revision, .custom: false
      }
    }
    return ([.secret] + Attribute.furtherSecrets + others).map(\.json)
  }()

  /// Reads `REF` or `REF:FIELD`.
  ///
  /// Only the known fields are split off: a REF can have colons of its own.
  init(_ text: String) {
    if let colon = text.lastIndex(of: ":"),
      Self.fields.contains(String(text[text.index(after: colon)...]))
    {
      item = String(text[..<colon])
      field = String(text[text.index(after: colon)...])
    } else {
      item = text
      field = Attribute.secret.json
    }
  }

  /// Creates a reference from its parts.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown field, which is not repeated.
  init(_ item: String, field: String) throws(VaultError) {
    guard Self.fields.contains(field) else {
      throw VaultError(
        .invalidArgument, "a field is one of \(Self.fields.joined(separator: ", "))")
    }
    self.item = item
    self.field = field
  }

  /// Returns the field of an item, in memory for secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the item has no such field.
  func value(of item: Item) throws(VaultError) -> Secret {
    let attribute = Attribute.all.first { $0.json == field } ?? .secret
    switch item[attribute] {
    case .secret(let secret)?: return secret
    case .text(let text)?: return Secret(text)
    case .number(let number)?: return Secret(String(number))
    case .data(let bytes)?: return Secret(copying: bytes.span)
    default:
      throw VaultError(
        .itemNotFound, attribute == .secret ? "the item has no secret" : "it has no \(field)")
    }
  }
}

extension VaultList {
  /// Returns what a reference names, from the first vault that has it.
  ///
  /// - Throws: As ``Selection/itemWithSecret(in:)``; ``VaultError/Code/itemNotFound`` if the item
  ///   has no such field.
  func secret(
    of reference: SecretReference, _ invocation: Invocation
  ) throws(VaultError) -> Secret {
    var arguments = Arguments()
    arguments.append(operand: reference.item)
    let selection = try Selection(arguments, readsMetadata: false)
    let found = try selection.first(in: self) { (vault) throws(VaultError) in
      try selection.itemWithSecret(in: vault)
    }
    return try reference.value(of: invocation.opened(found.item, in: found.vault))
  }
}

extension VaultError {
  /// Returns the error with the option or line that it is about before its text.
  func preceded(by words: String) -> VaultError {
    VaultError(code, "\(words): \(context)", underlying: underlying, candidates: candidates)
      .about(subject)
  }
}
