package import BusMessages
import CSecretServiceSystemd
package import VaultModel

/// Calls to other programs on the bus.
extension SessionBus {
  /// The time that a program may take for an answer, in microseconds: it may ask its user.
  private static let patience: UInt64 = 120_000_000

  /// Calls a method and waits for the answer.
  ///
  /// - Parameters:
  ///   - call: The method and its arguments; its sender is not looked at.
  ///   - name: The program's name on the bus, which starts it if the bus knows how to.
  /// - Returns: The values of the answer. One with bytes is wiped.
  /// - Throws: ``VaultError/Code/unavailable`` if there is no such program, or it answers with an
  ///   error, not in time, or more than ``BusReader`` takes.
  package func call(_ call: BusCall, to name: String) throws(VaultError) -> [BusValue] {
    var message: OpaquePointer?
    let status = unsafe sd_bus_message_new_method_call(
      bus, &message, name, call.path, call.interface, call.member)
    // The message is ours until the end; the texts above were copied.
    guard status >= 0, let message = unsafe message else {
      throw Self.failure("a call of \(name)", status)
    }
    defer { unsafe sd_bus_message_unref(message) }
    guard unsafe BusWriter.append(call.arguments, to: message) else {
      throw VaultError(.unavailable, "a call of \(name): the arguments do not fit")
    }
    var error = unsafe sd_bus_error()
    defer { unsafe sd_bus_error_free(&error) }
    var answer: OpaquePointer?
    // Both are ours, and freed here.
    let answered = unsafe sd_bus_call(bus, message, Self.patience, &error, &answer)
    defer { unsafe sd_bus_message_unref(answer) }
    guard answered >= 0, let answer = unsafe answer else {
      // A text that ends with NUL, or none.
      let reason = unsafe error.message.map { unsafe ": " + String(cString: $0) } ?? ""
      throw Self.failure("\(call.member) of \(name)\(reason)", answered)
    }
    var reader = unsafe BusReader(answer)
    defer { if reader.hasBytes { unsafe sd_bus_message_sensitive(answer) } }
    do throws(BusError) {
      return try reader.values()
    } catch {
      unsafe sd_bus_message_sensitive(answer)
      throw VaultError(.unavailable, "\(call.member) of \(name): \(error.text)")
    }
  }
}
