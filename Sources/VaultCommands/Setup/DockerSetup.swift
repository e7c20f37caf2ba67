import VaultTerminal
import SecureMemory
import VaultModel

/// vaultctl as Docker's store of credentials, in the user's `config.json`.
struct DockerSetup: Setup {
  private static let name = "credsStore"
  private static let value = "vaultctl"
  /// The program that Docker runs for the store `vaultctl`.
  static let helper = "docker-credential-vaultctl"
  private static let member = "\"credsStore\": \"vaultctl\""
  /// A file with nothing but our member, as ``apply()`` makes it.
  private static let whole = "{\n\t\(member)\n}\n"

  let file: SetupFile

  init() throws(VaultError) {
    let folder = try UserPlaces.folder("DOCKER_CONFIG", below: ".docker")
    file = SetupFile(path: folder + "/config.json")
  }

  private var setting: String { "\(Self.name) in \(file.path)" }

  func text() -> String {
    "In \(file.path), beside what is there; \(Self.helper) has to be on the PATH:\n" + Self.whole
  }

  func isApplied() throws(VaultError) -> Bool {
    guard let text = try file.read() else { return false }
    return try own(in: text, members(of: text)) != nil
  }

  func apply() throws(VaultError) -> [String] {
    guard let text = try file.read() else {
      try file.replace(with: [Secret(Self.whole)])
      return [setting]
    }
    let json = try members(of: text)
    if try own(in: text, json) != nil { return [] }
    // With the blanks that the first member has before it.
    let added =
      if let first = json.members.first {
        [text.slice(json.inside..<first.start), Secret("\(Self.member),")]
      } else {
        [Secret("\n\t\(Self.member)\n")]
      }
    try file.replace(
      with: [text.slice(0..<json.inside)] + added + [text.slice(json.inside..<text.count)])
    return [setting]
  }

  func undo() throws(VaultError) -> [String] {
    guard let text = try file.read() else { return [] }
    let json = try members(of: text)
    // One that is spelt in another way is the user's.
    guard let index = try own(in: text, json),
      text.slice(json.members[index].whole).isEqual(to: Secret(Self.member))
    else { return [] }
    guard text.count != Self.whole.utf8.count || text.index(of: Self.whole) != 0 else {
      try file.remove(leaving: "{}\n")
      return [setting]
    }
    let removed = Self.range(of: index, in: json, text)
    try file.replace(with: [
      text.slice(0..<removed.lowerBound), text.slice(removed.upperBound..<text.count),
    ])
    return [setting]
  }

  func notes(afterApplying applies: Bool) throws(VaultError) -> [String] {
    if !applies {
      return try isApplied()
        ? ["\(setting) is left: setup writes it otherwise, as \(Self.member)"] : []
    }
    guard InstalledProgram.path(of: Self.helper) == nil else { return [] }
    return ["\(Self.helper) is not on the PATH, and Docker does not find it"]
  }

  /// Returns the place of a member with one comma, and the blanks that belong to it.
  private static func range(of index: Int, in json: JSONMembers, _ text: Secret) -> Range<Int> {
    let member = json.members[index].value.upperBound
    // Behind the member before, and so its comma is included.
    guard index == 0 else { return json.members[index - 1].value.upperBound..<member }
    let mark = json.members.count > 1 ? "," : "}"
    let end = text.index(of: mark, from: member) ?? member
    return json.inside..<(json.members.count > 1 ? end + 1 : end)
  }

  private func members(of text: Secret) throws(VaultError) -> JSONMembers {
    do throws(VaultError) {
      return try JSONMembers(text)
    } catch {
      throw VaultError(error.code, "\(file.path): \(error.context)")
    }
  }

  /// Returns the index of the member that makes Docker use the vault; nil if there is none.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if it names another store.
  private func own(in text: Secret, _ json: JSONMembers) throws(VaultError) -> Int? {
    // Docker takes the name in any case.
    let index = json.members.firstIndex { $0.name.lowercased() == Self.name.lowercased() }
    guard let index else { return nil }
    let value = json.members[index].value
    let expected = Secret("\"\(Self.value)\"")
    guard text.slice(value).isEqual(to: expected) else {
      throw VaultError(.cannotCreate, "\(file.path) names another \(Self.name)")
    }
    return index
  }
}
