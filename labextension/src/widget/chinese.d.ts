// The build puts the file there from which JupyterLab, too, has its Chinese.
declare module 'pi-notebook/chinese' {
  const catalogue: Readonly<Record<string, readonly string[]>>;
  export default catalogue;
}
