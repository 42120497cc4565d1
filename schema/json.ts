/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject

export interface JsonObject {
  [name: string]: Json
}
