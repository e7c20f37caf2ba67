import CVault
import VaultModel

/// The options of a function.
struct Options: OptionSet {
  let rawValue: UInt32

  static let withSecrets = Options(rawValue: UInt32(VAULT_WITH_SECRETS))
  static let withSubdomains = Options(rawValue: UInt32(VAULT_WITH_SUBDOMAINS))
  static let withoutExpired = Options(rawValue: UInt32(VAULT_WITHOUT_EXPIRED))
  static let ofSpace = Options(rawValue: UInt32(VAULT_OF_SPACE))
  static let accepted = Options(rawValue: UInt32(VAULT_ACCEPTED))

  static let finding: Options = [.withSecrets, .withSubdomains, .withoutExpired, .ofSpace]
  static let findingRemoved: Options = finding.subtracting(.withSecrets)
  static let storing: Options = [.accepted]

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the options of a caller.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown option, which would be ignored.
  init(_ options: vault_options_t, among known: Options) throws(VaultError) {
    self.init(rawValue: options)
    guard isSubset(of: known) else {
      throw VaultError(.invalidArgument, "an option that the function does not have")
    }
  }
}

extension ItemQuery {
  /// Reads a query; NULL attributes match everything.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, also for attributes that were freed, and for
  ///   subdomains of generic passwords; ``VaultError/Code/unsupported`` for a time of expiry.
  @safe init(_ attributes: OpaquePointer?, _ options: Options) throws(VaultError) {
    let isOfSpace = options.contains(.ofSpace)
    if unsafe attributes != nil {
      self = try AttributesHandle.at(attributes).query(ofSpace: isOfSpace)
    } else if isOfSpace {
      throw VaultError(.invalidArgument, "a protection space has a server and a protocol")
    } else {
      self.init()
    }
    includesSubdomains = options.contains(.withSubdomains)
    guard !includesSubdomains || itemClass == .internetPassword else {
      throw VaultError(.invalidArgument, "a generic password has no server")
    }
    includesExpired = !options.contains(.withoutExpired)
  }
}

extension ItemQuery {
  /// Reads a query with a limit; 0 is none.
  ///
  /// - Throws: As ``init(_:_:)``.
  @safe init(_ attributes: OpaquePointer?, _ options: Options, limit: Int) throws(VaultError) {
    try self.init(attributes, options)
    // A limit of C above `Int.max`, which is negative here, is none.
    self.limit = limit > 0 ? limit : nil
  }

  /// Reads the query of a function that removes what matches.
  ///
  /// - Throws: As ``init(_:_:)``, and ``VaultError/Code/invalidArgument`` unless something is
  ///   named, so that no mistake empties the vault.
  @safe init(removing attributes: OpaquePointer?, _ options: vault_options_t) throws(VaultError) {
    guard try AttributesHandle.at(attributes).attributes.isQuery else {
      throw VaultError(.invalidArgument, "nothing is named of what is to be removed")
    }
    try self.init(attributes, Options(options, among: .finding))
  }
}

extension Persistence {
  /// Reads a persistence.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``.
  init(_ persistence: vault_persistence_t) throws(VaultError) {
    guard let raw = UInt8(exactly: persistence.rawValue), let known = Persistence(rawValue: raw)
    else { throw VaultError(.invalidArgument, "a persistence that does not exist") }
    self = known
  }
}
