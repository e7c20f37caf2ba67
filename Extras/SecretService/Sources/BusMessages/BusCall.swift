/// A call of a method by a program on the bus.
package struct BusCall: Sendable {
  /// The caller's unique name on the bus.
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let arguments: [BusValue]
  /// Names the call in a ``BusReply``.
  package let number: UInt64

  package init(
    sender: String, path: String, interface: String, member: String, arguments: [BusValue],
    number: UInt64 = 0
  ) {
    (self.sender, self.path, self.interface) = (sender, path, interface)
    (self.member, self.arguments, self.number) = (member, arguments, number)
  }

  /// The signature of the arguments.
  package var signature: String { arguments.map(\.signature).joined() }
}

/// The answer to a call that had to wait for a person.
package struct BusReply: Sendable {
  /// The number of the call.
  package let call: UInt64
  package let result: Result<[BusValue], BusError>

  package init(to call: UInt64, _ result: Result<[BusValue], BusError>) {
    (self.call, self.result) = (call, result)
  }
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

  /// Returns an error that D-Bus itself has a name for.
  package static func bus(_ name: String, _ text: String) -> BusError {
    BusError("org.freedesktop.DBus.Error.\(name)", text)
  }

  package static let unknownMethod = bus("UnknownMethod", "the object has no such method")
  package static let unknownProperty = bus("UnknownProperty", "the object has no such property")
  package static let readOnlyProperty = bus("PropertyReadOnly", "the property cannot be set")
  package static let tooMany = bus("LimitsExceeded", "too many at once")
  package static func invalid(_ text: String) -> BusError { bus("InvalidArgs", text) }
  package static func unsupported(_ text: String) -> BusError { bus("NotSupported", text) }
}
