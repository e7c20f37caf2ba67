import SecureMemory
import VaultModel

/// Reads the logins in Docker's `config.json`.
///
/// Docker's keys mean nothing but themselves: `https://index.docker.io/v1/` and the same with
/// `access-token` behind it are two entries. So each item keeps its key as it was, beside the
/// server and path that networking code finds it by.
struct DockerConfigReader: EntryReader {
  private enum State {
    case members, logins, helpers
  }

  /// The custom attribute of an item with Docker's key for it.
  static let keyAttribute = "docker.server-url"
  /// The user by which Docker tells that the secret is an identity token.
  static let tokenUser = "<token>"

  private let json: JSONReader
  private let options: ReadingOptions
  private var state = State.members
  private var isDocker = false

  init(_ source: ByteSource, _ options: ReadingOptions) {
    json = JSONReader(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while true {
      switch state {
      case .members:
        guard let name = try json.nextMember() else {
          guard isDocker else {
            throw VaultError(
              .invalidData, "neither auths nor credsStore: this is no config.json of Docker")
          }
          return nil
        }
        if let entry = try readMember(name) { return entry }
      case .logins:
        if let key = try json.nextName() { return try readLogin(key) }
        state = .members
      case .helpers:
        if let server = try json.nextName() {
          let place = Place.line(json.line)
          try json.skip()
          return Entry(place, .leftOut(.elsewhere), title: server)
        }
        state = .members
      }
    }
  }

  private mutating func readMember(_ name: String) throws(VaultError) -> Entry? {
    switch name {
    case "auths":
      isDocker = true
      try json.beginObject()
      state = .logins
    case "credHelpers":
      isDocker = true
      try json.beginObject()
      state = .helpers
    case "credsStore":
      isDocker = true
      let place = Place.line(json.line)
      if let helper = try json.textIfString(), !helper.isEmpty {
        return Entry(place, .leftOut(.elsewhere))
      }
    default: try json.skip()
    }
    return nil
  }

  private func readLogin(_ key: String) throws(VaultError) -> Entry {
    json.beginRecord()
    var fields = EntryFields(.line(json.line), path: .scope, options)
    var (pair, user, password, token): (Secret?, String?, Secret?, Secret?)
    var isEmpty = true
    try json.members { (name) throws(VaultError) in
      isEmpty = false
      switch name {
      case "auth": pair = try json.secretIfString()
      case "username": user = try json.textIfString()
      case "password": password = try json.secretIfString()
      case "identitytoken": token = try json.secretIfString()
      case "registrytoken":
        if let token = try json.secretIfString() { fields.draft.addSecret(name, token) }
      default: try json.skip()
      }
    }
    json.endRecord()
    // Docker writes an empty object for a login that its credential helper keeps.
    guard !isEmpty else { return Entry(fields.draft.place, .leftOut(.elsewhere), title: key) }
    fields.draft.origin = "docker"
    fields.draft.title = key
    fields.draft.addCustom(Self.keyAttribute, key)
    fields.addAddress(Secret(key))
    do throws(VaultError) {
      if let pair, pair.count > 0 { (user, password) = try Self.split(pair) }
    } catch {
      fields.reject(error)
    }
    fields.draft.account = user ?? ""
    fields.draft.secret = password
    if let token, token.count > 0 {
      fields.draft.account = Self.tokenUser
      fields.draft.secret = token
      fields.draft.secretKind = .token
    }
    return fields.entry()
  }

  /// Splits `auth`, which is `user:password` in base 64 and may end with NULs, as Docker's reader
  /// does.
  private static func split(_ pair: Secret) throws(VaultError) -> (String, Secret) {
    let decoded = try Base64.decode(pair)
    return try decoded.withRawBytes { (bytes) throws(VaultError) in
      guard let colon = (0..<bytes.byteCount).first(where: { Bytes.at(bytes, $0) == 0x3A }) else {
        throw VaultError(.invalidData, "auth: no colon between user and password")
      }
      var end = bytes.byteCount
      while end > colon + 1, Bytes.at(bytes, end - 1) == 0 { end -= 1 }
      return (
        try Bytes.text(bytes.extracting(0..<colon), "auth"),
        Secret(copying: bytes.extracting((colon + 1)..<end))
      )
    }
  }
}
