public import VaultModel

/// Several vaults in order, such as a team's read-only vault behind one's own, as
/// `VaultList.open()` opens them.
///
/// Every lookup asks one vault after the other, and the first that has a match answers. An error of
/// any vault is an error of the lookup and names that vault: none is skipped. The session's
/// credentials of a vault come before those of its file, as in the vault alone.
///
/// New items are for the ``defaultVault``. An item that was found is changed in the vault that it
/// was found in, ``Found/vault``; one of a read-only vault cannot be changed
/// (``VaultError/Code/readOnly``).
public struct VaultList: Sendable {
  /// An item, and the vault that has it.
  public struct Found: Sendable {
    /// The item.
    public let item: Item
    /// The vault in which it was found.
    public let vault: Vault
  }

  /// The vaults in the order in which they are asked; one or more.
  public let vaults: [Vault]
  private let writable: Vault?

  /// Creates a list of open vaults.
  ///
  /// - Parameters:
  ///   - vaults: One or more, each with a file of its own.
  ///   - vault: The default vault; nil takes the first that may be written.
  package init(_ vaults: [Vault], default vault: Vault? = nil) {
    self.vaults = vaults
    writable = vault ?? vaults.first { !$0.isOnlyRead }
  }

  /// The vault that is written: the default of the user's configuration, else the first that is not
  /// read-only.
  ///
  /// - Throws: ``VaultError/Code/readOnly`` if all are.
  public var defaultVault: Vault {
    get throws(VaultError) {
      guard let writable else {
        let paths = vaults.compactMap(\.path).joined(separator: ", ")
        throw VaultError(.readOnly, "every vault is listed as read-only: \(paths)")
      }
      return writable
    }
  }

  /// The ``defaultVault``; the first one if all are read-only.
  package var defaultOrFirst: Vault { writable ?? vaults[0] }

  /// Returns whether a vault is the one that is written.
  package func isDefault(_ vault: Vault) -> Bool { vault === writable }

  // MARK: Asking in order

  /// Returns the answer of the first vault that has one.
  ///
  /// A vault in which nothing matches, or only expired items do, leaves the answer to the next.
  ///
  /// - Throws: ``VaultError/Code/expired`` if only expired items match anywhere, else
  ///   ``VaultError/Code/itemNotFound``; any other error of a vault, with its path.
  package func first(
    _ find: (Vault) throws(VaultError) -> Item
  ) throws(VaultError) -> Found {
    let (item, vault) = try firstResult(find)
    return Found(item: item, vault: vault)
  }

  /// Returns the result of the first vault that has one, and the vault, as ``first(_:)`` does.
  package func firstResult<Result>(
    _ find: (Vault) throws(VaultError) -> Result
  ) throws(VaultError) -> (Result, Vault) {
    var failure = VaultError(.itemNotFound, "no item matches")
    for (index, vault) in vaults.enumerated() {
      do throws(VaultError) {
        return (try find(vault), vault)
      } catch {
        guard error.code == .itemNotFound || error.code == .expired else {
          throw named(error, vault)
        }
        if index == 0 || error.code == .expired && failure.code != .expired { failure = error }
      }
    }
    throw failure
  }

  /// Returns the answers of all vaults, in order.
  ///
  /// - Throws: Any error of a vault, with its path.
  package func all(
    _ find: (Vault) throws(VaultError) -> [Item]
  ) throws(VaultError) -> [Found] {
    var all: [Found] = []
    for vault in vaults {
      do throws(VaultError) {
        all += try find(vault).map { Found(item: $0, vault: vault) }
      } catch {
        throw named(error, vault)
      }
    }
    return all
  }

  /// Returns the result of the first vault whose result is an answer, preferably one that is
  /// preferred; if none is, that of the last vault.
  ///
  /// - Throws: Any error of a vault, with its path.
  package func firstAnswer<R>(
    _ find: (Vault) throws(VaultError) -> R, where isAnswer: (R) -> Bool,
    preferring isPreferred: (R) -> Bool = { _ in true }
  ) throws(VaultError) -> R {
    var answer: R?
    var rest = vaults[...]
    while true {
      // There is one at least.
      let vault = rest.removeFirst()
      do throws(VaultError) {
        let found = try find(vault)
        if isAnswer(found) {
          if isPreferred(found) { return found }
          answer = answer ?? found
        }
        if rest.isEmpty { return answer ?? found }
      } catch {
        throw named(error, vault)
      }
    }
  }

  /// Returns an error with the vault's path, unless there is only one vault.
  func named(_ error: VaultError, _ vault: Vault) -> VaultError {
    vaults.count > 1 ? error.named(vault.path ?? "") : error
  }
}

extension VaultError {
  /// Returns the same error with a vault's path, named once.
  public func named(_ path: String) -> VaultError {
    guard !context.contains(path) else { return self }
    return VaultError(code, "\(path): \(context)", underlying: underlying, candidates: candidates)
      .about(subject)
  }
}
