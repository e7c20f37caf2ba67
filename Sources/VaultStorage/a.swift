import CSQLite
public func h() -> String { unsafe String(cString: sqlite3_libversion()) }
