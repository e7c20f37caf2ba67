import CredentialVault
import Foundation

/// A journal with an error type of its own.
struct Journal {
  struct Full: Error {}

  let capacity: Int

  func append(_ id: ItemID) throws(Full) {
    guard capacity > 0 else { throw Full() }
  }
}

// In a main.swift the compiler picks the synchronous functions, even after `await`.
@main struct FirstSteps {
  static func main() async throws {
    let mirror = try ProtectionSpace(url: "https://mirror.example.com/")
    let item = Item(space: mirror, account: "bob", secret: Secret("a token"))
    let journal = Journal(capacity: CommandLine.arguments.count - 1)

    let vault = try await Vault.open()
    let space = try ProtectionSpace(url: "https://git.example.com/", realm: "Team Git")
    if let credential = try await vault.defaultCredential(for: space) {
      print(credential.user, credential.secret.count)
      try credential.secret.withUTF8String { text in login(credential.user, text) }
    }
    do {
      try await vault.write { writer in
        try writer.add(item)
        try journal.append(item.id)
      }
      print("added \(item)")
    } catch is Journal.Full {
      print("the journal is full, and nothing was added")
    }
  }

  static func login(_ user: String, _ password: String) {
    print("logged in as \(user)")
  }
}
