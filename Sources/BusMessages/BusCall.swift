package import VaultModel

/// A call of a method by a program on the bus.
package struct BusCall: Sendable {
  /// The caller's unique name on the bus.
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let arguments: [BusValue]

  package init(
    sender: String, path: String, interface: String, member: String, arguments: [BusValue]
  ) {
    (self.sender, self.path, self.interface) = (sender, path, interface)
    (self.member, self.arguments) = (member, arguments)
  }

  /// The signature of the arguments.
  package var signature: String { arguments.map(\.signature).joined() }
}

/// A signal to everybody on the bus, or to one program.
package struct BusSignal: Sendable {
  package let path: String
  package let interface: String
  package let member: String
  package let arguments: [BusValue]
  package let destination: String?

  package init(
    path: String, interface: String, member: String, arguments: [BusValue],
    destination: String? = nil
  ) {
    (self.path, self.interface, self.member) = (path, interface, member)
    (self.arguments, self.destination) = (arguments, destination)
  }
}

/// The error that answers a call: its name tells programs what went wrong, its text people.
package struct BusError: Error, Hashable {
  package let name: String
  package let text: String

  package init(_ name: String, _ text: String) {
    (self.name, self.text) = (name, text)
  }

  private static func bus(_ name: String, _ text: String) -> BusError {
    BusError("org.freedesktop.DBus.Error.\(name)", text)
  }

  package static let noSession = BusError(
    "org.freedesktop.Secret.Error.NoSession", "the session is not the caller's, or was closed")
  package static let noSuchObject = BusError(
    "org.freedesktop.Secret.Error.NoSuchObject", "there is no such object")
  package static let unknownMethod = bus("UnknownMethod", "the object has no such method")
  package static let unknownProperty = bus("UnknownProperty", "the object has no such property")
  package static let readOnlyProperty = bus("PropertyReadOnly", "the property cannot be set")
  package static let tooMany = bus("LimitsExceeded", "too many at once")
  package static func invalid(_ text: String) -> BusError { bus("InvalidArgs", text) }
  package static func unsupported(_ text: String) -> BusError { bus("NotSupported", text) }

  /// Translates an error of the vault, whose texts have no secrets.
  package init(_ error: VaultError) {
    switch error.code {
    case .locked, .closed:
      self.init("org.freedesktop.Secret.Error.IsLocked", "the vault is locked")
    case .itemNotFound: self = .noSuchObject
    case .invalidArgument, .invalidData: self = .invalid(error.context)
    case .tooLarge, .outOfMemory: self = Self.bus("LimitsExceeded", error.context)
    case .unsupported: self = .unsupported(error.context)
    case .policyRefused, .readOnly: self = Self.bus("AccessDenied", error.context)
    case .busy: self = Self.bus("Timeout", error.context)
    default: self = Self.bus("Failed", error.context)
    }
  }
}
