import VaultFile
package import VaultModel

extension VaultError {
  /// Whether it says that the session ended, or its file was removed, while it was used.
  var meansEnd: Bool { [.locked, .closed, .vaultNotFound].contains(code) }

  /// Whether it says that there can be no session that is shared, rather than that an operation
  /// failed.
  package var meansNoSession: Bool {
    switch code {
    case .busy, .interrupted, .inputOutput, .outcomeUnknown, .internalError: false
    default: true
    }
  }

  /// The same error with its items as those of a session.
  var ofSession: VaultError {
    guard !items.isEmpty else { return self }
    return VaultError(
      code, context, underlying: underlying, candidates: items.map(\.ofSession)
    ).about(subject)
  }
}

extension InternetPassword {
  /// The item of a session's file as one of the session.
  var ofSession: InternetPassword {
    var item = self
    item.persistence = .session
    return item
  }
}

extension VaultEvent {
  /// The event of a session's file as one of the vault; nil if it is about the file itself.
  var ofSession: VaultEvent? {
    switch self {
    case .added(let subject): .added(subject.ofSession)
    case .modified(let subject): .modified(subject.ofSession)
    case .removed(let subject): .removed(subject.ofSession)
    case .defaultChanged, .changedElsewhere: self
    case .moved, .policyChanged, .locked, .unlocked: nil
    }
  }
}

extension VaultEvent.Subject {
  fileprivate var ofSession: Self {
    Self(id: id, space: space, service: service, persistence: .session)
  }
}
