public import FoundationNetworking
public import VaultModel

extension Persistence {
  /// Converts Foundation's value; a synchronizable credential becomes permanent, and stays on this
  /// machine.
  public init(_ persistence: URLCredential.Persistence) {
    switch persistence {
    case .none: self = .none
    case .forSession: self = .session
    default: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Converts a persistence to Foundation's value.
  public init(_ persistence: Persistence) {
    switch persistence {
    case .none: self = .none
    case .session: self = .forSession
    case .permanent: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Whether it is the value that is deprecated on Linux, whose name would cause a warning.
  var isSynchronizable: Bool { rawValue == 3 }
}
