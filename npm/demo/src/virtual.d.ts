declare module "virtual:cliffs" {
  const cliffs: readonly import("./cliff-data.js").Cliff[];
  export default cliffs;
}
