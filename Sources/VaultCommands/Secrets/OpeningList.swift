public import CredentialVault
public import VaultModel

/// Opening the vaults in which a command looks.
extension Invocation {
  /// Opens and unlocks every vault that lookups ask: those that the arguments name, else the user's
  /// list.
  ///
  /// Each is unlocked as ``openVault()`` unlocks one; a key that can be read only once opens all.
  ///
  /// - Throws: Any error of opening and unlocking, with the vault's path if there are several.
  func openList() throws(VaultError) -> VaultList {
    let (vaults, named) = try VaultLocation.list(arguments.texts(.vault))
    guard vaults.count > 1 else {
      let vault = try openVault()
      try refresh(vault)
      return VaultList([vault])
    }
    let open = try opener()
    let list = try VaultList(vaults, default: named) { (listed) throws(VaultError) in
      try open(listed, nil)
    }
    Clock.follow(list.vaults[0])
    return list
  }

  /// Opens the vaults of the list but one, which may be in it or not, and that one.
  ///
  /// - Throws: As ``openList()``; ``VaultError/Code/invalidArgument`` if there is no other.
  func openList(besides path: String) throws(VaultError) -> (list: VaultList, other: Vault) {
    let open = try opener()
    let (vaults, _) = try VaultLocation.list(arguments.texts(.vault))
    let list = try VaultList(vaults, default: nil) { (listed) throws(VaultError) in
      try open(listed, nil)
    }
    Clock.follow(list.vaults[0])
    let listed = try VaultLocation.vault(at: path)
    let key = arguments.text(.otherKeyFile).map(KeySource.keyFile)
    let other: Vault
    do throws(VaultError) {
      other = try open(listed, key)
    } catch {
      throw error.named(listed.path)
    }
    let rest = list.vaults.filter { $0.path != other.path }
    guard !rest.isEmpty else {
      throw VaultError(.invalidArgument, "there is no other vault than \(listed.path)")
    }
    return (VaultList(rest), other)
  }

  /// Returns what opens and unlocks a vault of several; a key that can be read only once opens all.
  ///
  /// - Throws: As ``openVault()``, also of the closure.
  public func opener() throws(VaultError) -> (ListedVault, KeySource?) throws(VaultError) -> Vault {
    let given = try keyFromArguments().orFound()?.loaded()
    let (timeout, acceptingAnotherVault) = (try lockTimeout(), arguments.has(.acceptVault))
    return { (listed, key) throws(VaultError) in
      let vault = try Vault.openLocked(
        listed, lockTimeout: timeout, acceptingAnotherVault: acceptingAnotherVault,
        withSharedSession: command.sharesSession)
      try unlock(vault, with: key ?? given, named: listed.path)
      try refresh(vault)
      return vault
    }
  }

  /// Opens the list as ``openList()`` does; nil before a vault was ever made, if no option and no
  /// line of the configuration names one.
  ///
  /// - Throws: As ``openList()``.
  func openListIfMade() throws(VaultError) -> VaultList? {
    do throws(VaultError) {
      return try openList()
    } catch {
      guard error.code == .vaultNotFound, vaultPath == nil,
        try VaultConfiguration.read()?.defaultVault == nil
      else { throw error }
      return nil
    }
  }

  /// Opens the list as ``openList()`` does, for a helper whose errors are one line: if there is no
  /// vault, that line says how to make one.
  ///
  /// - Throws: As ``openList()``.
  func openListToStore() throws(VaultError) -> VaultList {
    do throws(VaultError) {
      return try openList()
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(error.code, "\(error.context): vaultctl init makes one")
    }
  }

  /// Requires that the named vault, or the default one, is not listed as read-only.
  ///
  /// - Throws: ``VaultError/Code/readOnly``.
  func requireWritablePlace() throws(VaultError) {
    let vault = try VaultLocation.vault(at: vaultPath)
    guard !vault.isReadOnly else { throw .onlyRead(vault.path) }
  }

  /// Opens the vault that is written: the default one of those that the arguments name, or of the
  /// user's list.
  ///
  /// Of several vaults that are named, the others are not opened.
  ///
  /// - Throws: As ``openVault()``; ``VaultError/Code/readOnly`` if all that are named are
  ///   read-only.
  func openDefaultVault() throws(VaultError) -> Vault {
    guard arguments.texts(.vault).count > 1 else { return try openVault() }
    let (vaults, named) = try VaultLocation.list(arguments.texts(.vault))
    guard
      let listed = vaults.first(where: { $0.path == named })
        ?? vaults.first(where: { !$0.isReadOnly })
    else {
      throw VaultError(.readOnly, "every vault that is named is listed as read-only")
    }
    return try openVault(listed, named: listed.path)
  }
}

extension VaultList {
  /// Whether messages and documents have to say which vault an item is from.
  var namesVaults: Bool { vaults.count > 1 }

  /// Returns the vault that lines and documents name for an item; nil if there is only one.
  func name(of vault: Vault) -> String? { namesVaults ? vault.path : nil }
}
