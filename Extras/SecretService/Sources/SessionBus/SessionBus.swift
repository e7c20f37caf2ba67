package import BusMessages
import CSecretServiceSystemd
import Glibc
package import VaultModel

/// A connection to the user's session bus, over sd-bus.
///
/// It belongs to one thread. Nothing here waits for the bus, but for the first steps.
@safe package final class SessionBus {
  /// Answers calls, and hears of clients that leave.
  package protocol Handler: AnyObject {
    /// Returns the answer; nil if it is sent later.
    func answer(_ call: BusCall) throws(BusError) -> [BusValue]?
    /// Tells the process of a client that has called.
    func clientIs(_ name: String, process: UInt32)
    func clientLeft(_ name: String)
    /// Sends signals, after a call was answered.
    func answered()
  }

  // Set once, and freed in deinit.
  let bus: OpaquePointer
  private weak var handler: (any Handler)?
  private var lastCall: UInt64 = 0
  /// The calls that are answered later, each a reference of ours.
  private var held: [UInt64: OpaquePointer] = unsafe [:]
  /// The clients that have called, and are still there.
  private var callers: Set<String> = []
  /// The clients whose process the bus is asked for, by the number of the question.
  private var questions: [UInt64: String] = [:]

  /// Connects to the bus that `$DBUS_SESSION_BUS_ADDRESS` or `$XDG_RUNTIME_DIR` names.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if there is none.
  package init() throws(VaultError) {
    var opened: OpaquePointer?
    let status = unsafe sd_bus_open_user(&opened)
    guard status >= 0, let opened = unsafe opened else {
      throw Self.failure("there is no session bus", status)
    }
    unsafe bus = unsafe opened
  }

  deinit {
    while let (_, message) = unsafe held.popFirst() { unsafe sd_bus_message_unref(message) }
    unsafe sd_bus_flush_close_unref(bus)
  }

  static func failure(_ text: String, _ status: Int32) -> VaultError {
    VaultError(.unavailable, text, underlying: .errno(-status))
  }

  // MARK: Serving

  /// Answers the calls that come from now on.
  ///
  /// - Parameter handler: Has to live as long as the connection is used.
  /// - Throws: ``VaultError/Code/unavailable`` if the bus refuses it.
  package func serve(_ handler: any Handler) throws(VaultError) {
    self.handler = handler
    // The slots end with the bus, and the bus with this object, which both callbacks get.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let status = unsafe sd_bus_add_fallback(bus, nil, "/", Self.callback, context)
    guard status >= 0 else { throw Self.failure("calls cannot be served", status) }
    let match = unsafe sd_bus_add_match(
      bus, nil,
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg2=''", Self.leftCallback, context)
    guard match >= 0 else { throw Self.failure("the bus does not tell who leaves", match) }
  }

  /// Takes a name on the bus, unless another program has it.
  ///
  /// - Returns: Whether it is ours.
  package func request(_ name: String) throws(VaultError) -> Bool {
    let status = unsafe sd_bus_request_name(bus, name, 0)
    guard status != -EEXIST else { return false }
    guard status >= 0 else { throw Self.failure("the name \(name) is refused", status) }
    return true
  }

  /// Gives a name back: calls from now on start the service anew.
  package func release(_ name: String) throws(VaultError) {
    let status = unsafe sd_bus_release_name(bus, name)
    guard status >= 0 else { throw Self.failure("the name \(name) cannot be given back", status) }
  }

  /// Returns the process that has a name; nil if none has.
  package func owner(of name: String) throws(VaultError) -> Int32? {
    var credentials: OpaquePointer?
    // The credentials are ours, and freed here.
    let status = unsafe sd_bus_get_name_creds(bus, name, UInt64(SD_BUS_CREDS_PID), &credentials)
    defer { unsafe sd_bus_creds_unref(credentials) }
    guard status != -ENXIO else { return nil }
    var identifier: pid_t = 0
    guard status >= 0, unsafe sd_bus_creds_get_pid(credentials, &identifier) >= 0 else {
      throw Self.failure("the owner of \(name) is not known", status)
    }
    return identifier
  }

  /// The descriptor on which something happens, and the events to wait for.
  package var waiting: (descriptor: Int32, events: Int16) {
    (unsafe sd_bus_get_fd(bus), Int16(truncatingIfNeeded: unsafe sd_bus_get_events(bus)))
  }

  /// Reads and answers what has come, and writes what has to go.
  ///
  /// - Returns: How many messages there were.
  /// - Throws: ``VaultError/Code/closed`` if the bus is gone, as at the end of a login.
  package func process() throws(VaultError) -> Int {
    var count = 0
    while true {
      let status = unsafe sd_bus_process(bus, nil)
      guard status >= 0 else {
        throw VaultError(.closed, "the bus is gone", underlying: .errno(-status))
      }
      if status == 0 { return count }
      count += 1
    }
  }

  /// Sends a signal; one that does not fit is dropped, because nobody waits for it.
  package func send(_ signal: BusSignal) {
    var message: OpaquePointer?
    // The message is ours until the end; the texts are valid during the calls.
    guard
      unsafe sd_bus_message_new_signal(
        bus, &message, signal.path, signal.interface, signal.member) >= 0,
      let message = unsafe message
    else { return }
    defer { unsafe sd_bus_message_unref(message) }
    if let destination = signal.destination,
      unsafe sd_bus_message_set_destination(message, destination) < 0
    {
      return
    }
    guard unsafe BusWriter.append(signal.arguments, to: message) else { return }
    unsafe sd_bus_send(bus, message, nil)
  }

  /// Answers a call that had to wait; its descriptors are closed.
  package func send(_ reply: BusReply) {
    guard let message = unsafe held.removeValue(forKey: reply.call) else { return }
    // The reference that was kept for this.
    defer { unsafe sd_bus_message_unref(message) }
    do throws(BusError) {
      try unsafe self.reply(to: message, with: reply.result.get())
    } catch {
      unsafe refuse(message, error)
    }
  }

  // MARK: Clients

  /// Asks the bus for the process of a client that calls for the first time.
  ///
  /// Nobody waits for the answer: until then, everything that other clients send would have to be
  /// kept.
  private func askForProcess(of client: String) {
    guard callers.insert(client).inserted else { return }
    var message: OpaquePointer?
    var number: UInt64 = 0
    // The message is ours until the end; the answer's callback gets this object, which lives longer
    // than its bus.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    guard
      unsafe sd_bus_message_new_method_call(
        bus, &message, Self.driver, "/org/freedesktop/DBus", Self.driver,
        "GetConnectionUnixProcessID") >= 0,
      let message = unsafe message
    else { return }
    defer { unsafe sd_bus_message_unref(message) }
    guard unsafe BusWriter.append([.text(client)], to: message),
      unsafe sd_bus_call_async(bus, nil, message, Self.processCallback, context, 0) >= 0,
      unsafe sd_bus_message_get_cookie(message, &number) >= 0
    else { return }
    questions[number] = client
  }

  private func processAnswered(_ message: OpaquePointer) {
    var number: UInt64 = 0
    guard unsafe sd_bus_message_get_reply_cookie(message, &number) >= 0,
      let client = questions.removeValue(forKey: number), callers.contains(client)
    else { return }
    var reader = unsafe BusReader(message)
    do throws(BusError) {
      guard case .status(let process)? = try reader.values().first else { return }
      handler?.clientIs(client, process: process)
    } catch {
      // unreachable: the bus itself sends a number, or the text of an error.
    }
  }

  private func clientLeft(_ name: String) {
    callers.remove(name)
    handler?.clientLeft(name)
  }

  // MARK: Callbacks

  private static let driver = "org.freedesktop.DBus"

  private static let callback: sd_bus_message_handler_t = { message, context, _ in
    guard let message = unsafe message, let context = unsafe context else { return -EINVAL }
    // The object lives longer than its bus.
    let bus = unsafe Unmanaged<SessionBus>.fromOpaque(context).takeUnretainedValue()
    return unsafe bus.answer(message)
  }

  private static let leftCallback: sd_bus_message_handler_t = { message, context, _ in
    guard let message = unsafe message, let context = unsafe context else { return -EINVAL }
    let bus = unsafe Unmanaged<SessionBus>.fromOpaque(context).takeUnretainedValue()
    var reader = unsafe BusReader(message)
    do throws(BusError) {
      if let name = try reader.values().first?.text { bus.clientLeft(name) }
    } catch {
      // unreachable: the bus itself sends three texts.
    }
    return 0
  }

  private static let processCallback: sd_bus_message_handler_t = { message, context, _ in
    guard let message = unsafe message, let context = unsafe context else { return -EINVAL }
    let bus = unsafe Unmanaged<SessionBus>.fromOpaque(context).takeUnretainedValue()
    unsafe bus.processAnswered(message)
    return 0
  }

  /// Answers a call.
  private func answer(_ message: OpaquePointer) -> Int32 {
    guard let handler else { return 0 }
    do throws(BusError) {
      var reader = unsafe BusReader(message)
      var arguments: [BusValue] = []
      do throws(BusError) {
        arguments = try reader.values()
      } catch {
        // The bytes may be a part of a secret.
        unsafe sd_bus_message_sensitive(message)
        throw error
      }
      if reader.hasBytes { unsafe sd_bus_message_sensitive(message) }
      let sender = unsafe Self.text(sd_bus_message_get_sender(message))
      askForProcess(of: sender)
      lastCall += 1
      let call = BusCall(
        sender: sender,
        path: unsafe Self.text(sd_bus_message_get_path(message)),
        interface: unsafe Self.text(sd_bus_message_get_interface(message)),
        member: unsafe Self.text(sd_bus_message_get_member(message)), arguments: arguments,
        number: lastCall)
      if let values = try handler.answer(call) {
        try unsafe reply(to: message, with: values)
      } else {
        unsafe held[call.number] = sd_bus_message_ref(message)
      }
    } catch {
      unsafe refuse(message, error)
    }
    handler.answered()
    return 1
  }

  private func reply(
    to message: OpaquePointer, with values: [BusValue]
  ) throws(BusError) {
    var answer: OpaquePointer?
    // The answer is ours until the end.
    guard unsafe sd_bus_message_new_method_return(message, &answer) >= 0,
      let answer = unsafe answer
    else { return }
    defer { unsafe sd_bus_message_unref(answer) }
    guard unsafe BusWriter.append(values, to: answer) else { throw .tooMany }
    unsafe sd_bus_send(bus, answer, nil)
  }

  private func refuse(_ message: OpaquePointer, _ error: BusError) {
    // Both texts are valid during the call, and copied.
    unsafe error.name.withCString { name in
      unsafe error.text.withCString { text in
        var reason = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
        unsafe sd_bus_reply_method_error(message, &reason)
      }
    }
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
