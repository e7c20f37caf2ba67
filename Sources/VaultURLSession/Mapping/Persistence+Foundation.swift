public import FoundationNetworking
public import VaultModel

extension Persistence {
  /// Takes Foundation's word; what is to be synchronized is permanent here, and stays on this machine.
  public init(_ persistence: URLCredential.Persistence) {
    switch persistence {
    case .none: self = .none
    case .forSession: self = .session
    default: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Foundation's word for how strongly a credential is kept.
  public init(_ persistence: Persistence) {
    switch persistence {
    case .none: self = .none
    case .session: self = .forSession
    case .permanent: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Whether it is the one that is deprecated on Linux, whose name would be a warning.
  var isSynchronizable: Bool { rawValue == 3 }
}
