package import VaultModel

/// A format of another program, by the name that `vaultctl` gives it.
package enum InterchangeFormat: String, CaseIterable, Sendable {
  case firefox
  case chrome
  case apple
  case bitwarden
  case bitwardenJSON = "bitwarden-json"
  case onePassword = "1password"
  case onePUX = "1pux"
  case keepassXC = "keepassxc"
  case keepassXML = "keepass-xml"
  case lastPass = "lastpass"
  case dashlane
  case nordPass = "nordpass"
  case protonPass = "protonpass"
  case roboForm = "roboform"
  case buttercup
  case keeper
  case enpass
  /// A table of any program, whose columns have the names of ``EntryField``, or the user says what
  /// they are.
  case table = "csv"
  case netrc
  case gitCredentials = "git-credentials"
  case docker
  case pass
  case keychainDump = "keychain-dump"
  case secretTool = "secret-tool"
  /// A running Secret Service, whose items `vaultctl-secret-service` writes as ``json``.
  case secretService = "secret-service"
  case json

  /// The formats of programs that write what another one does, by the name of the program.
  private static let others: [String: InterchangeFormat] = [
    "brave": .chrome, "chromium": .chrome, "edge": .chrome, "opera": .chrome, "safari": .apple,
    "padlock": .chrome, "vivaldi": .chrome,
  ]

  /// All names, first those of the formats.
  package static var names: [String] { allCases.map(\.rawValue) + others.keys.sorted() }

  /// Creates the format with a name or another name of it; nil if there is none.
  package init?(name: String) {
    guard let format = Self.others[name] ?? Self(rawValue: name) else { return nil }
    self = format
  }
}

/// The user's choices about reading.
package struct ReadingOptions: Sendable {
  /// The protocol of entries whose format or row has none.
  package var assumedProtocol = NetworkProtocol.https
  /// Fields by the names of a table's columns, beside or instead of those of the format.
  package var columns: [(name: String, field: EntryField)] = []
  /// Opens the file once more, for formats that refer to what comes later in it; it returns nil if
  /// the file can be read only once.
  package var again: @Sendable () throws(VaultError) -> ByteSource? = { () throws(VaultError) in nil
  }

  package init() {}
}

extension InterchangeFormat {
  /// Returns a reader of the format.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the source does not begin as the format does;
  ///   ``VaultError/Code/unsupported`` for ``pass``, which is a folder: its files are read one by
  ///   one with ``PassFile``; any error of the source.
  package func reader(
    of source: ByteSource, _ options: ReadingOptions = ReadingOptions()
  ) throws(VaultError) -> any EntryReader {
    switch self {
    // A reader of XML reads UTF-16, and zip is no text.
    case .keepassXML, .onePUX, .pass: break
    default: try source.refuseUTF16()
    }
    return switch self {
    case .firefox, .chrome, .apple, .bitwarden, .onePassword, .keepassXC, .lastPass, .dashlane,
      .nordPass, .protonPass, .roboForm, .buttercup, .keeper, .table:
      try CSVReader(source, self, options)
    case .enpass: EnpassReader(source, options)
    case .netrc: try NetrcReader(source, options)
    case .gitCredentials: try GitCredentialsReader(source, options)
    case .keychainDump: try KeychainDumpReader(source, options)
    case .secretTool: try SecretToolReader(source, options)
    case .bitwardenJSON: BitwardenJSONReader(source, options)
    case .onePUX: try OnePUXReader(source, options)
    case .keepassXML: try KeePassXMLReader(source, options)
    case .docker: DockerConfigReader(source, options)
    case .json, .secretService: ExportReader(source)
    case .pass: throw VaultError(.unsupported, "\(rawValue): cannot be read from a file")
    }
  }

  /// The formats that items can be written in.
  package static let writable: [InterchangeFormat] = [
    .json, .firefox, .chrome, .bitwarden, .netrc, .gitCredentials, .keychainDump,
  ]

  /// Returns a writer of the format.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` for a format that is not among ``writable``.
  package func writer(to sink: ByteSink) throws(VaultError) -> any EntryWriter {
    switch self {
    case .json: ExportWriter(sink)
    case .firefox: TableWriter(sink, .firefox)
    case .chrome: TableWriter(sink, .chrome)
    case .bitwarden: TableWriter(sink, .bitwarden)
    case .netrc: NetrcWriter(sink)
    case .gitCredentials: GitCredentialsWriter(sink)
    case .keychainDump: KeychainDumpWriter(sink)
    default: throw VaultError(.unsupported, "\(rawValue): cannot be written")
    }
  }
}

/// A field of an entry, as `--map COLUMN=FIELD` names it.
package enum EntryField: String, CaseIterable, Sendable {
  case title
  case url
  case account
  case password
  case realm
  case comment
  case folder
  case tags
  case created
  case modified
  case expires
  /// The key of one-time passwords.
  case oneTimePassword = "otp"
  /// A further field under the name of its column.
  case custom
  case ignored = "none"
}
