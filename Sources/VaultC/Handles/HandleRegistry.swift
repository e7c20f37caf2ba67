/// The valid handles, each with the number of its owners.
///
/// A handle is not an address. It is an index into a table and the number of times that the entry
/// was used, so that a released handle stays invalid when its entry is reused.
enum HandleRegistry {
  /// The value of a handle in a C program: odd and negative, unlike an address.
  ///
  /// A collector of garbage that meets it never takes it for one of its own pointers.
  struct Token {
    fileprivate let place: Int
    fileprivate let use: UInt32

    fileprivate init(place: Int, use: UInt32) {
      self.place = place
      self.use = use
    }

    /// Decodes a handle; nil if it is certainly invalid, such as NULL and the address of an object.
    init?(_ bits: UInt) {
      guard bits & Self.mark == Self.mark else { return nil }
      place = Int(bits >> 1 & 0x7FFF_FFFF)
      use = UInt32(truncatingIfNeeded: bits >> 32) & Self.uses
    }

    var pointer: OpaquePointer? {
      // Nobody reads through it.
      unsafe OpaquePointer(bitPattern: Self.mark | UInt(use) << 32 | UInt(place) << 1)
    }

    /// The highest bit and the lowest.
    private static let mark: UInt = 1 << 63 | 1
    /// The bits that count uses.
    fileprivate static let uses: UInt32 = 0x7FFF_FFFF
  }

  private struct Place {
    var handle: Handle?
    var use: UInt32 = 0
    var owners = 0
  }

  private struct Table {
    var places: [Place] = []
    var free: [Int] = []

    func isOut(_ token: Token) -> Bool {
      token.place < places.count && places[token.place].use == token.use
        && places[token.place].handle != nil
    }

    mutating func take(_ token: Token) -> Handle? {
      let handle = places[token.place].handle
      places[token.place].handle = nil
      free.append(token.place)
      return handle
    }
  }

  private static let table = Guarded(Table())

  static func add(_ handle: Handle) -> Token {
    table.withLock { table in
      let place: Int
      if let free = table.free.popLast() {
        place = free
      } else {
        place = table.places.count
        table.places.append(Place())
      }
      table.places[place].handle = handle
      table.places[place].use = (table.places[place].use &+ 1) & Token.uses
      table.places[place].owners = 1
      return Token(place: place, use: table.places[place].use)
    }
  }

  static func find(_ token: Token) -> Handle? {
    table.withLock { $0.isOut(token) ? $0.places[token.place].handle : nil }
  }

  /// Returns the number of a handle's owners; 0 if it is no longer valid.
  static func owners(_ token: Token) -> Int {
    table.withLock { $0.isOut(token) ? $0.places[token.place].owners : 0 }
  }

  /// Adds an owner.
  ///
  /// - Returns: False if the handle is no longer valid.
  static func retain(_ token: Token) -> Bool {
    table.withLock { table in
      guard table.isOut(token) else { return false }
      table.places[token.place].owners += 1
      return true
    }
  }

  /// Removes an owner.
  ///
  /// - Returns: False if the handle is no longer valid.
  static func release(_ token: Token) -> Bool {
    // The object is released outside the lock: its deinit may take long, and may release other
    // handles.
    var last: Handle?
    let wasOut = table.withLock { table -> Bool in
      guard table.isOut(token) else { return false }
      table.places[token.place].owners -= 1
      if table.places[token.place].owners == 0 { last = table.take(token) }
      return true
    }
    withExtendedLifetime(last) {}
    return wasOut
  }

  /// Ends a handle for all its owners.
  ///
  /// - Returns: False if the handle is no longer valid.
  static func end(_ token: Token) -> Bool {
    let last = table.withLock { $0.isOut(token) ? $0.take(token) : nil }
    return withExtendedLifetime(last) { last != nil }
  }
}
