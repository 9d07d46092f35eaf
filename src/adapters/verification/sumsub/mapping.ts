/**
 * What Sumsub said of an applicant, and what that is to the port. Total and pure: any status with any body is a status of the port, or the
 * sentence why not. What is on no table decides nothing.
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { nameMatch } from "../../../engine/input/name-match.ts"
import type { VerificationCommand, VerificationStatus } from "../../../engine/ports/Provider.ts"
import { type CompanyReply, toStorableText } from "../../provider/company/client.ts"

/** The countries of ISO 3166-1: Sumsub has their three letters, and the port has two. */
const codes = [
  "ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI",
  "BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT",
  "BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU",
  "CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET",
  "FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR",
  "GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR",
  "IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB",
  "LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH",
  "MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE",
  "NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL",
  "PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ",
  "SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC",
  "TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY",
  "USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW"
]

const byThree = new Map(
  codes.flatMap((line) => line.split(" ").map((pair) => [pair.slice(0, 3), pair.slice(3)] as const))
)

/** The states of a review that have no verdict. A `reviewAnswer` beside them is none: `awaitingService` comes with GREEN. */
export const openStates = [
  "init",
  "pending",
  "prechecked",
  "queued",
  "onHold",
  "awaitingUser",
  "awaitingService"
] as const

/** What a `completed` review says, by its answer and the type of its rejection. RED with RETRY: the applicant may try again. */
export const answers = {
  GREEN: "approved",
  "RED FINAL": "rejected",
  "RED RETRY": "opened"
} as const

/** The reasons of the service, by labels of a rejection. Any other label is `declined`. */
export const reasons: Readonly<Record<string, ReadonlyArray<string>>> = {
  identity_mismatch: ["SELFIE_MISMATCH", "BAD_FACE_MATCHING", "PROBLEMATIC_APPLICANT_DATA", "INCONSISTENT_PROFILE"],
  document_invalid: [
    "FORGERY",
    "GRAPHIC_EDITOR",
    "DOCUMENT_TEMPLATE",
    "DOCUMENT_DAMAGED",
    "DOCUMENT_DEPRIVED",
    "DOCUMENT_MISSING",
    "DOCUMENT_PAGE_MISSING",
    "INCOMPLETE_DOCUMENT",
    "ID_INVALID",
    "NOT_DOCUMENT"
  ]
}

const Loose = Schema.optionalKey(Schema.Unknown)
const Applicant = Schema.Struct({
  id: Schema.String,
  externalUserId: Schema.String,
  info: Loose,
  review: Schema.Struct({
    reviewStatus: Schema.String,
    levelName: Loose,
    attemptId: Loose,
    reviewDate: Loose,
    createDate: Loose,
    reviewResult: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ reviewAnswer: Loose, reviewRejectType: Loose, rejectLabels: Loose }))
    )
  })
})
/** Sumsub's own error: its `code` repeats the status. */
const Refusal = Schema.Struct({ code: Schema.String, description: Schema.String })
const Link = Schema.Struct({ url: Schema.String })
const Level = Schema.Struct({ name: Schema.String })
const Levels = Schema.Struct({ items: Schema.Array(Schema.Unknown), totalItems: Loose })

const applicantIn = Schema.decodeUnknownOption(Applicant)
const refusalIn = Schema.decodeUnknownOption(Refusal)
const linkIn = Schema.decodeUnknownOption(Link)
const levelIn = Schema.decodeUnknownOption(Level)
const levelsIn = Schema.decodeUnknownOption(Levels)

/** Whether an answer is an error of Sumsub's own under a status, and not of what stands before it. */
export const isRefusal = ({ json, status }: CompanyReply, of: number): boolean => {
  const read = status === of ? refusalIn(json) : undefined
  return read?._tag === "Some" && read.value.code === String(of)
}

/** Why an answer is none. Its description is Sumsub's own sentence, about the request and not about the applicant. */
export const describeReply = ({ json, status }: CompanyReply): string => {
  const description = toStorableText((json as { readonly description?: unknown } | null | undefined)?.description)
  return description === null ? `status ${status} with a body that is not its own` : `status ${status}: ${description}`
}

/** Whose verification it is. */
export type ExpectedCustomer = Pick<VerificationCommand["customer"], "country_code" | "name" | "type"> & {
  /** MM/DD/YYYY. Null, or absent: it is not known. */
  readonly date_of_birth?: string | null
}

/** What is asked about: the applicant of a session, at the level of its tier, and who it must be. */
export interface ApplicantKey {
  readonly id: string
  readonly level: string
  /** Null: it is not kept any more. */
  readonly customer: ExpectedCustomer | null
  /** The digest of the applicant as it was when the customer was approved by it. */
  readonly approved_as?: string | null
}

/** Sumsub approves the applicant, and the customer is not approved by that: an operator looks at it. */
export interface DoubtfulApproval {
  readonly _tag: "doubtful"
  /** Names nobody. */
  readonly sentence: string
}

/** An applicant's status. `review`: the same for as long as the verdict is that of one review. */
export interface ApplicantReview {
  readonly status: VerificationStatus | DoubtfulApproval
  readonly review: string
  /** A digest of the session, and of what was compared of the applicant: it says who it was, to nobody who does not know. */
  readonly digest: string
}

/** An answer that decides nothing. */
export interface Unclear {
  readonly sentence: string
}

const verdictOf = ({
  rejectLabels,
  reviewAnswer,
  reviewRejectType
}: {
  readonly reviewAnswer?: unknown
  readonly reviewRejectType?: unknown
  readonly rejectLabels?: unknown
}): VerificationStatus | undefined => {
  // Only texts: a list of one text would read like it.
  const [answer, type] = [reviewAnswer, reviewRejectType].map((value) => (typeof value === "string" ? value : "?"))
  const key = answer === "GREEN" ? answer : `${answer} ${type}`
  const outcome = Object.hasOwn(answers, key) ? answers[key as keyof typeof answers] : undefined
  if (outcome === undefined) return undefined
  if (outcome !== "rejected") return { _tag: outcome }
  const labels: ReadonlyArray<unknown> = Array.isArray(rejectLabels) ? rejectLabels : []
  const reason = Object.keys(reasons).find((one) => labels.some((label) => reasons[one]!.includes(label as string)))
  return { _tag: outcome, reason: reason ?? "declined" }
}

const readMember = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined
const textIn = (value: unknown, name: string): string | null => toStorableText(readMember(value, name), 255)

/** The names that documents give a person, in their own letters and in Latin ones: with all given names, and with each of them. */
const personNames = (info: unknown): ReadonlyArray<string> =>
  ["", "En"].flatMap((script) => {
    const [first, middle, last] = ["firstName", "middleName", "lastName"].map((name) => textIn(info, name + script))
    const given = [first, middle].filter((name) => name !== null)
    const words = given.flatMap((name) => name!.split(/[\s-]+/)).filter((word) => [...word].length > 1)
    return last === null
      ? [given.join(" ")]
      : [...given, ...words, given.join(" ")].map((name) => `${name} ${last}`.trim())
  })

/** What an applicant gives of itself: its names, when it was born, and the countries of the person and of its addresses. */
const readApplicantInfo = (info: unknown, type: string) => {
  const found = type === "business" ? readMember(info, "companyInfo") : info
  const names = (type === "business" ? [textIn(found, "companyName") ?? ""] : personNames(found)).filter(
    (one) => one !== ""
  )
  const addresses = readMember(found, "addresses")
  const countries = [found, ...(Array.isArray(addresses) ? addresses : [])].flatMap((one) => {
    const country = textIn(one, "country")
    return country === null ? [] : [byThree.get(country)]
  })
  return { names, born: textIn(found, "dob"), countries }
}

/** Why an applicant is not the customer, or is not known to be; undefined: it is. The link is handed on, so anybody may have opened it. */
const strangerIn = (
  info: unknown,
  { country_code, date_of_birth = null, name, type }: ExpectedCustomer
): string | undefined => {
  const { born, countries, names } = readApplicantInfo(info, type)
  if (names.length === 0) return "does not say the name of the applicant"
  if (!names.some((one) => nameMatch(one, name) === "full")) return "has another name of the applicant"
  if (type === "individual" && date_of_birth !== null) {
    if (born === null) return "does not say when the applicant was born"
    // Sumsub writes `YYYY-MM-DD`.
    if (born.replace(/^(\d{4})-(\d{2})-(\d{2})$/, "$2/$3/$1") !== date_of_birth)
      return "has another date of birth of the applicant"
  }
  if (countries.length === 0) return "does not say the country of the applicant"
  return countries.includes(country_code) ? undefined : "has another country of the applicant"
}

/** What a look-up of an applicant says of its session. */
export const seenIn = (
  reply: CompanyReply,
  { approved_as = null, customer, id, level }: ApplicantKey
): ApplicantReview | Unclear => {
  if (isRefusal(reply, 404)) return { status: { _tag: "absent" }, review: "none", digest: "" }
  const read = reply.status === 200 ? applicantIn(reply.json) : undefined
  if (read === undefined || read._tag === "None") return { sentence: `Sumsub answered ${describeReply(reply)}` }
  const { externalUserId, info, review } = read.value
  if (externalUserId !== id) return { sentence: "Sumsub answered with another applicant" }
  const { attemptId, createDate, levelName, reviewDate, reviewResult, reviewStatus } = review
  const known =
    toStorableText(attemptId, 64) ?? toStorableText(reviewDate, 64) ?? toStorableText(createDate, 64) ?? "first"
  const given = [id, known, readApplicantInfo(info, "individual"), readApplicantInfo(info, "business")]
  const digest = createHash("sha256").update(JSON.stringify(given)).digest("hex")
  if ((openStates as ReadonlyArray<string>).includes(reviewStatus))
    return { status: { _tag: "opened" }, review: known, digest }
  const status = reviewStatus === "completed" ? verdictOf(reviewResult ?? {}) : undefined
  if (status === undefined) return { sentence: `Sumsub's review of ${id} is in a state that is not known` }
  if (status._tag !== "opened" && levelName !== level)
    return { sentence: `Sumsub's review of ${id} is not at the level of its tier, ${JSON.stringify(level)}` }
  const isSettled = status._tag !== "approved" || approved_as === digest
  const stranger = isSettled
    ? undefined
    : customer === null
      ? "nothing of the customer is kept any more to compare the applicant with"
      : strangerIn(info, customer)
  if (stranger === undefined) return { status, review: known, digest }
  const sentence = `Sumsub approves ${id}, and ${stranger}, so the customer is not approved: look at the applicant there`
  return { status: { _tag: "doubtful", sentence }, review: known, digest }
}

export const isUnclear = (seen: ApplicantReview | Unclear): seen is Unclear => "sentence" in seen

/** The page of a link. Undefined: the answer has none that can be shown to a customer. */
export const pageIn = ({ json, status }: CompanyReply): string | undefined => {
  const read = status === 200 || status === 201 ? linkIn(json) : undefined
  if (read === undefined || read._tag === "None") return undefined
  const { url } = read.value
  return URL.canParse(url) && new URL(url).protocol === "https:" ? url : undefined
}

/** The names of all levels. Undefined: the answer has none, or not all. */
export const levelsOf = ({ json, status }: CompanyReply): ReadonlySet<string> | undefined => {
  // Lists of other calls are in a member `list`.
  const read = levelsIn((json as { readonly list?: unknown } | null | undefined)?.list ?? json)
  if (status !== 200 || read._tag === "None") return undefined
  const { items, totalItems } = read.value
  const names = items.flatMap((item) => {
    const level = levelIn(item)
    return level._tag === "Some" ? [level.value.name] : []
  })
  const isWhole = totalItems === undefined || totalItems === String(items.length)
  return isWhole && names.length === items.length ? new Set(names) : undefined
}
