package import VaultModel

extension KeySource {
  /// Calls `open` with this source, or with one after the other of ``found(_:)`` until one opens.
  ///
  /// - Parameter open: Opens with a source that is not ``found(_:)``.
  /// - Returns: The result of `open`; nil if nothing that was found opens anything.
  /// - Throws: Any error of `open`. Of sources that were found, a key file that opens nothing is
  ///   passed over, one that is half of what a slot needs or cannot be read is an error only if
  ///   the others open nothing, and a wrong passphrase is the error before these.
  package func firstThatOpens<R>(
    _ open: (KeySource) throws(VaultError) -> R
  ) throws(VaultError) -> R? {
    var result: R?
    try tryEach { (source) throws(VaultError) in result = try open(source) }
    return result
  }

  /// Calls `open` as ``firstThatOpens(_:)`` does.
  ///
  /// It is not generic, because each type of a result would have a copy of it.
  private func tryEach(_ open: (KeySource) throws(VaultError) -> Void) throws(VaultError) {
    guard case .found(let sources) = self else { return try open(self) }
    var failure: VaultError?
    for source in sources {
      let (source, fault) = source.withoutUnreadableHalf()
      do throws(VaultError) {
        return try open(source)
      } catch {
        switch error.code {
        case .authenticationFailed:
          if source.hasPassphrase { failure = error }
        case .locked:
          if let fault, error.subject == .otherHalf, failure?.code != .authenticationFailed {
            failure = error.because(fault)
          }
          failure = failure ?? error
        default:
          guard !source.hasPassphrase, let own = source.faultOfFile() else { throw error }
          failure = failure ?? own
        }
      }
    }
    if let failure { throw failure }
  }

  /// Returns a passphrase without the key file beside it if that cannot be read, and why: the
  /// passphrase alone may open a slot, and the error of one that needs both names the half.
  private func withoutUnreadableHalf() -> (source: KeySource, fault: VaultError?) {
    guard case .both(let passphrase, let file) = self, passphrase.isPassphrase,
      let fault = file.faultOfFile()
    else { return (self, nil) }
    return (passphrase, fault)
  }

  /// Returns the error of reading a key that nobody is prompted for, which is then not the vault's.
  package func faultOfFile() -> VaultError? {
    do throws(VaultError) {
      _ = try read()
      return nil
    } catch {
      return error
    }
  }

  /// Whether there is a passphrase in it, alone or as one half.
  package var hasPassphrase: Bool {
    switch self {
    case .both: true
    case .found(let sources): sources.contains(where: \.hasPassphrase)
    default: isPassphrase
    }
  }
}

extension VaultError {
  /// Returns the error that a half is missing, with the reason.
  fileprivate func because(_ fault: VaultError) -> VaultError {
    VaultError(code, "\(context): \(fault.context)", underlying: fault.underlying).about(subject)
  }
}
