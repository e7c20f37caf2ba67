import SecureMemory
import StoreTesting
import VaultStore
package import VaultModel

/// Uses a vault that was tampered with as a program would, and checks whether the answers were
/// right.
///
/// An answer is right if it is the vault's content from before, or an error that says what is
/// wrong. After a write the same holds for all earlier content, so a write that made damage valid
/// would be noticed.
package struct AnswerCheck {
  package enum Verdict: Equatable, Sendable {
    /// Every answer was the right data.
    case right
    /// Some answer was an expected error, the others were right.
    case refused(VaultError.Code)
    /// A forbidden result.
    case wrong(String)
  }

  private let golden: GoldenVault
  private let path: String
  private let expected: Set<VaultError.Code>
  private let stateFolder: String?

  /// Creates a judge.
  ///
  /// - Parameters:
  ///   - golden: The vault as it was before.
  ///   - path: The path of the tampered vault.
  ///   - expected: The errors that are right answers.
  ///   - stateFolder: The folder with the records of generations; nil for none.
  package init(
    _ golden: GoldenVault, at path: String, expecting expected: Set<VaultError.Code> = [.damaged],
    stateFolder: String? = nil
  ) {
    self.golden = golden
    self.path = path
    self.expected = expected
    self.stateFolder = stateFolder
  }

  /// Writes `bytes` to the path and judges them.
  package func judge(_ bytes: [UInt8], turn: Int) throws -> Verdict {
    try File.write(bytes, to: path)
    return judge(turn: turn)
  }

  /// Judges the file at the path.
  ///
  /// The turn chooses the item that is looked for and the write that is done.
  package func judge(turn: Int) -> Verdict {
    var listing = golden.listing
    var verdict = Verdict.right
    do throws(VaultError) {
      verdict = try GoldenVault.withStore(path, key: golden.key, stateFolder: stateFolder) {
        (store) throws(VaultError) in
        var verdict = find(in: store, turn)
        verdict.add(list(in: store, withSecrets: false, golden.attributes))
        verdict.add(write(to: store, turn, &listing))
        return verdict
      }
    } catch {
      return judge(error, "opening")
    }
    // A store without rollback records reads the result of the write.
    do throws(VaultError) {
      verdict.add(
        try GoldenVault.withStore(path, key: golden.key, stateFolder: stateFolder) {
          (store) throws(VaultError) in
          list(in: store, withSecrets: true, listing)
        })
    } catch {
      verdict.add(judge(error, "opening again"))
    }
    return verdict
  }

  private func judge(_ error: VaultError, _ doing: String) -> Verdict {
    expected.contains(error.code)
      ? .refused(error.code) : .wrong("\(doing): \(error) at \(error.location)")
  }

  private func find(in store: FileStore, _ turn: Int) -> Verdict {
    let wanted = golden.items[turn % golden.items.count]
    do throws(VaultError) {
      let found = try store.find(ItemQuery(key: wanted.key), withSecrets: true)
      let isRight = ItemBytes(found, withSecrets: true) == ItemBytes([wanted], withSecrets: true)
      return isRight ? .right : .wrong("find gave another answer")
    } catch {
      return judge(error, "find")
    }
  }

  private func list(in store: FileStore, withSecrets: Bool, _ listing: ItemBytes) -> Verdict {
    do throws(VaultError) {
      let found = ItemBytes(
        try store.find(ItemQuery(), withSecrets: withSecrets), withSecrets: withSecrets)
      guard found != listing else { return .right }
      return .wrong("\(found.difference(from: listing)) items were listed wrong")
    } catch {
      return judge(error, "list")
    }
  }

  private func write(
    to store: FileStore, _ turn: Int, _ listing: inout ItemBytes
  ) -> Verdict {
    let item = golden.items[turn % golden.items.count]
    do throws(VaultError) {
      switch turn % 5 {
      case 0:
        try store.remove(item.id, hint: item.key)
        listing.remove(item.id)
      case 1:
        let secret = Secret("changed")
        var changed = try store.modify(item.id, hint: item.key, [.secret(secret)])
        changed.secret = secret
        changed.takeFurtherSecrets(of: item)
        listing.put(changed, withSecrets: true)
      case 2:
        listing.put(try store.add(added(to: item.server)), withSecrets: true)
      default:
        listing.put(try store.add(added(to: HostName("added.example.com"))), withSecrets: true)
      }
      return .right
    } catch {
      return judge(error, "write")
    }
  }

  private func added(to server: HostName) -> Item {
    Item(server: server, account: "added", secret: Secret("added"), protocol: .https)
  }
}

extension AnswerCheck.Verdict {
  /// Adds another answer: a wrong one is kept, then a refused one.
  mutating func add(_ other: AnswerCheck.Verdict) {
    switch (self, other) {
    case (.wrong, _), (.refused, .right), (.refused, .refused): return
    default: self = other
    }
  }
}
