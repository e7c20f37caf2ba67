import CVault
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// The same through the C interface, with what a C program has: texts, and a copy of the secret.
struct CInterface {
  let stores: Stores
  let report: Report
  private let texts: [CSample]
  private static let rounds = 15

  init(stores: Stores, report: Report) {
    self.stores = stores
    self.report = report
    texts = stores.lookups.map { CSample(Sample(number: $0.number)) }
  }

  func lookups() throws {
    let vault = try CVaultHandle(openIn: stores)
    let queries = try texts.map { try CAttributes(naming: $0) }
    let found = try alternating(Self.rounds) {
      try seconds { try each(queries) { try vault.find($0) } } / count
    } peer: {
      try seconds {
        for lookup in stores.lookups {
          guard try stores.peer.find(lookup.item) != nil else {
            throw Failure("not found")
          }
        }
      } / count
    }
    report.add(
      "find through C, warm: hit, secret copied, read, wiped", stores.count, found, .ratio(1))
    let asked = try alternating(3 * Self.rounds) {
      try seconds { try each(queries) { try vault.find($0) } } / count
    } peer: {
      try seconds { try each(stores.lookups) { try findInSwift($0.space, $0.account) } } / count
    }
    report.add(
      difference: "the C layer adds to a find whose query is at hand, the copy of the secret"
        + " included", stores.count, asked, .time(0.5e-6))
    let named = try alternating(3 * Self.rounds) {
      try seconds { try each(texts) { try vault.find(CAttributes(naming: $0)) } }
        / count
    } peer: {
      try seconds { try each(texts) { try findInSwift(Self.space($0), $0.texts.account) } } / count
    }
    report.add(
      difference: "the C layer adds to a find and the naming of its query, six calls more",
      stores.count, named)
  }

  /// Finds each of what is looked for.
  private func each<T>(_ sample: [T], _ find: (T) throws -> Int) throws {
    for one in sample {
      guard try find(one) > 0 else { throw Failure("an empty secret") }
    }
  }

  private func findInSwift(_ space: ProtectionSpace, _ account: String) throws -> Int {
    guard
      let secret = try stores.subject.vault.find(Sample.query(space, account), withSecrets: true)
        .secret
    else {
      throw Failure("no secret")
    }
    return Subject.sum(secret)
  }

  private static func space(_ sample: CSample) throws -> ProtectionSpace {
    try ProtectionSpace(
      host: sample.texts.server, protocol: NetworkProtocol("https"), realm: Sample.realm,
      authenticationMethod: AuthenticationMethod("basic"))
  }

  private var count: Double { Double(stores.lookups.count) }

  /// Changes of one item, beside SQLite's.
  func writes(_ medium: String) throws {
    let vault = try CVaultHandle(openIn: stores)
    var (adds, changes, removals) = (Pairs(), Pairs(), Pairs())
    for number in 0..<Writes.changes {
      let sample = Sample(number: stores.count * 5 + number)
      let (new, peerItem) = (CSample(sample), PeerItem(sample))
      let known = stores.lookups[number]
      let secret = CText(Sample.freshSecretText())
      adds.append(
        try seconds { try vault.add(new) }, try seconds { try stores.peer.insert(peerItem) })
      changes.append(
        try seconds { try vault.modify(texts[number], secret) },
        try seconds { try stores.peer.update(known.item, secret: secret) })
      removals.append(
        try seconds { try vault.remove(new) }, try seconds { try stores.peer.remove(peerItem) })
    }
    let works = ["add", "find and modify", "find and delete"]
    for (work, pairs) in zip(works, [adds, changes, removals]) {
      report.add(
        "\(work) one through C, \(medium)", stores.count, pairs,
        medium == "durable" ? .ratio(1.3) : nil)
    }
  }
}

/// An item as a C program has it; the texts of all that is measured live as long as the process.
struct CSample {
  /// The texts of a Swift program.
  let texts: (server: String, account: String)
  let server: CText
  let account: CText
  let label: CText
  let secret: CText

  init(_ sample: Sample) {
    texts = (sample.server, sample.account)
    server = CText(sample.server)
    account = CText(sample.account)
    label = CText(sample.label)
    secret = CText(sample.secret)
  }

  static let https = CText("https")
  static let basic = CText("basic")
  static let realm = CText(Sample.realm)
  static let path = CText(Sample.path)
}

/// Attributes through the C interface.
@safe final class CAttributes {
  // A handle is only passed on.
  let handle: OpaquePointer?

  init() throws {
    var handle: OpaquePointer?
    // The place is this function's own.
    try check(unsafe vault_attributes_create(&handle))
    unsafe self.handle = handle
  }

  /// Names what tells an item from all others.
  convenience init(naming sample: CSample) throws {
    try self.init()
    try set(VAULT_SERVER, sample.server)
    try set(VAULT_ACCOUNT, sample.account)
    try set(VAULT_PROTOCOL, CSample.https)
    try set(VAULT_REALM, CSample.realm)
    try set(VAULT_AUTHENTICATION_METHOD, CSample.basic)
  }

  deinit { _ = unsafe vault_attributes_free(handle) }

  func set(_ attribute: vault_attribute_t, _ text: CText) throws {
    // The text is as long as is said, and so below.
    try check(unsafe vault_attributes_set_text(handle, attribute, text.pointer, Int(text.count)))
  }

  func set(secret: CText) throws {
    try check(unsafe vault_attributes_set_secret(handle, secret.pointer, Int(secret.count)))
  }
}

/// A vault through the C interface.
@safe final class CVaultHandle {
  // A handle is only passed on.
  private let vault: OpaquePointer?

  /// Takes the vault of the stores, which this process has open and unlocked.
  init(openIn stores: Stores) throws {
    var vault: OpaquePointer?
    // The place is this function's own, the path a C string during the call.
    try check(unsafe vault_open_locked(stores.vaultPath, &vault))
    unsafe self.vault = vault
  }

  deinit { _ = unsafe vault_close(vault) }

  /// Finds an item and adds up the bytes of its secret.
  func find(_ query: CAttributes) throws -> Int {
    try unsafe withItem(query, VAULT_OF_SPACE | VAULT_WITH_SECRETS) { item in
      var secret = unsafe vault_buffer_t()
      try check(unsafe vault_item_copy_secret(item, &secret))
      defer { unsafe vault_buffer_free(&secret) }
      // The buffer is as long as is said.
      return unsafe sum(UnsafeRawBufferPointer(start: secret.bytes, count: secret.count))
    }
  }

  func add(_ sample: CSample) throws {
    let new = try CAttributes(naming: sample)
    try new.set(VAULT_PATH, CSample.path)
    try new.set(VAULT_LABEL, sample.label)
    try new.set(secret: sample.secret)
    try check(unsafe vault_attributes_set_number(new.handle, VAULT_PORT, UInt64(Sample.port)))
    try check(unsafe vault_add(vault, new.handle, VAULT_PERSISTENCE_PERMANENT, 0, nil))
  }

  func modify(_ sample: CSample, _ secret: CText) throws {
    let changes = try CAttributes()
    try changes.set(secret: secret)
    try unsafe withItem(CAttributes(naming: sample), VAULT_OF_SPACE) { item in
      try check(unsafe vault_modify(item, changes.handle, 0, 0))
    }
  }

  func remove(_ sample: CSample) throws {
    try unsafe withItem(CAttributes(naming: sample), VAULT_OF_SPACE) { item in
      try check(unsafe vault_remove(item, 0))
    }
  }

  private func withItem<R>(
    _ query: CAttributes, _ options: Int, _ body: (OpaquePointer?) throws -> R
  ) throws -> R {
    var item: OpaquePointer?
    try check(unsafe vault_find(vault, query.handle, UInt32(options), &item))
    defer { _ = unsafe vault_item_release(item) }
    return try unsafe body(item)
  }
}

private func check(_ status: vault_status_t) throws {
  guard status == VAULT_OK else { throw Failure("status \(status.rawValue) of the C interface") }
}
