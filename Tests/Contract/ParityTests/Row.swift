/// One statement about the keychain, and the answers of our two interfaces.
struct Row: Sendable {
  /// A name for it, such as `find.port.zero`.
  let id: String
  /// The section that the statement belongs to.
  let section: Section
  /// The keychain's behaviour.
  let apple: String
  /// The behaviour of Swift and native C.
  let vault: Answer
  /// The behaviour of the keychain-shaped functions of C.
  let compatible: Answer
  /// The reason for a difference from Apple's.
  let why: String
  /// The parts on which it is not run, and why.
  let exceptions: [Part: String]
  /// The scenarios that show it; an interface runs the last one that is for it, so special ones
  /// follow general ones.
  let scenarios: [Scenario]
  /// Whether it needs the environment for itself, or the events, which a process has once for all
  /// of its vaults.
  let isAlone: Bool

  init(
    _ id: String, _ section: Section, _ apple: String, by scenarios: Scenario..., vault: Answer,
    compatible: Answer, why: String = "", except exceptions: [Part: String] = [:],
    alone isAlone: Bool = false
  ) {
    self.id = id
    self.section = section
    self.apple = apple
    self.vault = vault
    self.compatible = compatible
    self.why = why
    self.exceptions = exceptions
    self.scenarios = scenarios
    self.isAlone = isAlone
  }

  /// Returns a statement about something that vaults do not have.
  static func foreign(
    _ id: String, _ section: Section, _ apple: String, because reason: String
  ) -> Row {
    Row(
      id, section, apple, vault: .doesNotApply(reason), compatible: .doesNotApply(reason),
      why: reason)
  }

  /// Returns the answer for an interface.
  func answer(_ interface: Interface) -> Answer {
    interface == .keychain ? compatible : vault
  }

  /// Returns an interface's scenario and its expected observation; nil if it is not run.
  func run(in setup: Setup) -> (scenario: Scenario, expected: String)? {
    guard exceptions.keys.allSatisfy({ !$0.contains(setup) }),
      let expected = answer(setup.interface).sees,
      let scenario = scenarios.last(where: { $0.isFor(setup.interface) })
    else { return nil }
    return (scenario, expected)
  }
}

/// An interface's answer to a statement.
struct Answer: Sendable {
  enum Relation: Sendable {
    case same
    /// Differs from the keychain, in this way.
    case differs(String)
    /// Cannot be expressed, for this reason.
    case inexpressible(String)
    /// Concerns something that vaults do not have.
    case doesNotApply(String)
  }

  let relation: Relation
  /// The observation of the row's scenario; nil if none is run.
  let sees: String?

  /// Returns the answer that the interface behaves like the keychain.
  static func same(_ sees: String) -> Answer { Answer(relation: .same, sees: sees) }

  /// Returns the answer that the interface differs from the keychain, as the text says.
  static func differs(_ text: String, _ sees: String) -> Answer {
    Answer(relation: .differs(text), sees: sees)
  }

  static func inexpressible(_ reason: String) -> Answer {
    Answer(relation: .inexpressible(reason), sees: nil)
  }

  static func doesNotApply(_ reason: String) -> Answer {
    Answer(relation: .doesNotApply(reason), sees: nil)
  }
}

/// The subject of a row.
enum Section: Sendable, CaseIterable {
  case find
  case add
  case modify
  case copy
  case items
  case codes
  case statuses
  case spelling
  case storage
  case identities
  case objects

  var title: String {
    switch self {
    case .find: "Finding"
    case .add: "Adding"
    case .modify: "Changing and deleting"
    case .copy: "Reading"
    case .items: "SecItem"
    case .codes: "Codes"
    case .statuses: "Statuses"
    case .spelling: "Spellings"
    case .storage: "Storage"
    case .identities: "Identities and trust"
    case .objects: "Objects and messages"
    }
  }
}

/// The operations on a vault that show a row's behaviour, in an interface's words; the result is
/// the observation.
enum Scenario: Sendable {
  case any(@Sendable (any Driver) throws -> String)
  /// Swift and native C.
  case vault(@Sendable (any VaultDriver) throws -> String)
  case swift(@Sendable (SwiftDriver) throws -> String)
  case native(@Sendable (NativeDriver) throws -> String)
  case keychain(@Sendable (KeychainDriver) throws -> String)

  func isFor(_ interface: Interface) -> Bool {
    switch self {
    case .any: true
    case .vault: interface != .keychain
    case .swift: interface == .swift
    case .native: interface == .native
    case .keychain: interface == .keychain
    }
  }

  /// Runs it with a new vault.
  func run(in setup: Setup) throws -> String {
    switch self {
    case .any(let run): try run(setup.makeDriver())
    case .vault(let run):
      setup.interface == .swift
        ? try run(SwiftDriver(setup.store)) : try run(NativeDriver(setup.store))
    case .swift(let run): try run(SwiftDriver(setup.store))
    case .native(let run): try run(NativeDriver(setup.store))
    case .keychain(let run): try run(KeychainDriver(setup.store))
    }
  }
}
